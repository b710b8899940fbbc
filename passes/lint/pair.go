package lint

import (
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// pair joins the two halves of a phantom: an output that nobody reads and a read that no write
// reaches. Each names the other as the likely repair, and the two come before all else: what
// they cost other ops follows from them. It also drops the warnings about partly unread outputs
// that are only the other side of a reported read.
func pair(m *model, fs []Finding) []Finding {
	for i := range fs {
		if fs[i].Code == "D01" && fs[i].Severity == Error {
			if j := m.lostReader(fs, i); j >= 0 {
				m.join(&fs[i], &fs[j])
			}
		}
	}
	slices.SortStableFunc(fs, func(a, b Finding) int {
		switch {
		case a.paired == b.paired:
			return 0
		case a.paired:
			return -1
		}
		return 1
	})
	return slices.DeleteFunc(fs, func(f Finding) bool {
		return f.Code == "D01" && f.Severity == Warning && slices.ContainsFunc(fs, func(g Finding) bool {
			return g.entry == f.entry && g.Severity == Error && g.step != none && mentions(&g, f.Bytes[0])
		})
	})
}

func mentions(f *Finding, b Bytes) bool {
	return slices.ContainsFunc(f.Bytes, func(o Bytes) bool {
		return o.Region == b.Region && o.Off+o.Lo < b.Off+b.Hi && b.Off+b.Lo < o.Off+o.Hi
	})
}

// phantomReads are the codes of a read whose buffer may be the wrong one.
var phantomReads = []string{"D03", "D04", "S02", "D07", "D09"}

// lostReader returns the finding about the first later read of another buffer of the same size
// and type, preferring one of the same layer, or -1.
func (m *model) lostReader(fs []Finding, i int) int {
	w := &fs[i]
	wrote := m.p.Operands[w.operand]
	best := -1
	for j := range fs {
		r := &fs[j]
		if r.entry != w.entry || r.step <= w.step || r.operand < 0 || !slices.Contains(phantomReads, r.Code) {
			continue
		}
		read := m.p.Operands[r.operand]
		a, b := &m.p.Bufs[wrote.Buf], &m.p.Bufs[read.Buf]
		if read.Buf == wrote.Buf || a.Size != b.Size || !sameType(m.p.Str(a.DType), m.p.Str(b.DType)) {
			continue
		}
		if best < 0 || m.steps[r.step].layer == m.steps[w.step].layer && m.steps[fs[best].step].layer != m.steps[w.step].layer {
			best = j
		}
	}
	return best
}

// missing says what a misbound reader found in the buffer that it reads.
var missing = map[string]string{
	"D03": "which nobody wrote",
	"S02": "which nobody wrote",
	"D04": "which holds something else",
	"D07": "which is only partly written",
	"D09": "which is only partly written",
}

// hasWriter says whether any step of the entry defines the buffer that a finding's operand reads.
func (m *model) hasWriter(r *Finding) bool {
	root := m.root[m.p.Operands[r.operand].Buf]
	for _, s := range m.p.EntrySteps(&m.p.Entries[r.entry]) {
		for _, o := range m.p.Ops(&s) {
			if o.Effect != plan.R && o.Effect != plan.Scr && m.root[o.Buf] == root {
				return true
			}
		}
	}
	return false
}

func (m *model) join(w, r *Finding) {
	wrote, read := m.bufName(m.p.Operands[w.operand].Buf), m.bufName(m.p.Operands[r.operand].Buf)
	state := missing[r.Code]
	if state == "" || r.Code == "S02" && m.hasWriter(r) {
		state = "whose value is gone"
	}
	text := fmt.Sprintf("%s writes %s, %s reads %s of the same shape, %s: did you mean %s?", w.Ops[0].Name, wrote, r.Ops[0].Name, read, state, wrote)
	w.Repair, r.Repair = text, text
	w.paired, r.paired = true, true
	w.Ops = append(w.Ops, r.Ops[0])
}
