package lint

import (
	"fmt"
	"strings"

	"dsac/runtime/plan"
)

// The weight table says which tensor of a model goes into which buffer. Nothing in the plan
// defines these bytes, so that only the table itself can show that it is wrong.

// boundWeights is D04 of the weight table: a buffer that bears the name of one tensor of the
// table and holds another, a tensor that two buffers hold in the same layout, and a buffer that
// is loaded twice.
func boundWeights(m *model, out *collector) {
	type copyOf struct{ name, layout plan.Str }
	first, loaded := map[copyOf]int32{}, map[int32]plan.Str{}
	tensors := map[string]bool{}
	for i := range m.p.Weights {
		tensors[m.p.Str(m.p.Weights[i].Name)] = true
	}
	for i := range m.p.Weights {
		w := &m.p.Weights[i]
		tensor, buf := m.p.Str(w.Name), m.bufName(w.Buf)
		own := buf
		if !tensors[own] { // the copy in another layout is named after both
			own = strings.TrimSuffix(buf, "."+m.p.Str(w.Layout))
		}
		if own != tensor && tensors[own] {
			out.add(m.weightFinding("D04", w.Buf, int32(i), fmt.Sprintf("%s is loaded with tensor %s, although the model has a tensor %s", buf, tensor, own)))
		} else if before, again := loaded[w.Buf]; again {
			out.add(m.weightFinding("D04", w.Buf, int32(i), fmt.Sprintf("%s is loaded with tensor %s and then with tensor %s", buf, m.p.Str(before), tensor)))
		}
		loaded[w.Buf] = w.Name
		k := copyOf{w.Name, w.Layout}
		if at, twice := first[k]; twice && m.p.Weights[at].Lo == w.Lo {
			out.add(m.weightFinding("D04", w.Buf, int32(i), fmt.Sprintf("%s and %s are both loaded with tensor %s", m.bufName(m.p.Weights[at].Buf), buf, tensor)))
		}
		first[k] = int32(i)
	}
}

// unloadedWeights is D03 of the weight table: a weight that an op reads and that no tensor
// fills. Plans without a table leave open where their weights come from.
func unloadedWeights(m *model, out *collector) {
	if len(m.p.Weights) == 0 {
		return
	}
	done := make([]bool, len(m.p.Bufs))
	for i := range m.p.Weights {
		done[m.root[m.p.Weights[i].Buf]] = true
	}
	for i := range m.p.Operands {
		b := m.root[m.p.Operands[i].Buf]
		if !done[b] && m.kind(b) == plan.Const {
			done[b] = true
			out.add(m.weightFinding("D03", b, b, m.bufName(b)+" is read, and no tensor of the weight table is loaded into it"))
		}
	}
}

// weightTypes is T01 of the weight table: a tensor in a buffer of another type. A layout moves
// the parts of a tensor's blocks about; it never converts them.
func weightTypes(m *model, out *collector) {
	for i := range m.p.Weights {
		w := &m.p.Weights[i]
		tensor, buf := m.p.Str(w.Type), m.p.Str(m.dtype(&plan.Operand{Buf: w.Buf}))
		if !sameType(tensor, buf) {
			out.add(m.weightFinding("T01", w.Buf, int32(i), fmt.Sprintf("%s is %s, but its tensor %s is %s", m.bufName(w.Buf), buf, m.p.Str(w.Name), tensor)))
		}
	}
}

// weightShapes is T02 of the weight table: a tensor, or the part of it that a rank holds, of
// another shape than its buffer, and parts that are not those of the plan's rank, which is the
// first of ranks with equal shares.
func weightShapes(m *model, out *collector) {
	ranks := uint64(max(m.p.MetaInt(plan.MetaTP), 1))
	for i := range m.p.Weights {
		w := &m.p.Weights[i]
		b := &m.p.Bufs[w.Buf]
		held := w.Dims // innermost first; shapes of buffers are outermost first
		if w.Axis != plan.None {
			held[w.Axis] = w.Hi - w.Lo
			if ranks > 1 && (w.Lo != 0 || w.Hi*ranks != w.Dims[w.Axis]) {
				out.add(m.weightFinding("T02", w.Buf, int32(i), fmt.Sprintf("%s holds elements %d to %d of the %d of axis %d of tensor %s: the first of %d ranks holds an equal share from 0 on",
					m.bufName(w.Buf), w.Lo, w.Hi, w.Dims[w.Axis], w.Axis, m.p.Str(w.Name), ranks)))
				continue
			}
		}
		want := [4]uint64{1, 1, 1, 1}
		for k := range int(b.Dims) {
			want[k] = uint64(b.Shape[int(b.Dims)-1-k])
		}
		if b.Dims > 0 && held != want {
			out.add(m.weightFinding("T02", w.Buf, int32(i), fmt.Sprintf("%s has the dimensions %v, innermost first; what is loaded of tensor %s has %v", m.bufName(w.Buf), want, m.p.Str(w.Name), held)))
		}
	}
}

// weightFinding is about a buffer of weights; order ranks it among findings of its code.
func (m *model) weightFinding(code string, buf, order int32, summary string) Finding {
	return Finding{Code: code, Severity: rule(code).Severity, Repair: "compile the plan again: its weight table does not fit its buffers", Summary: summary,
		Bytes: []Bytes{m.wholeBuf(buf)}, entry: none, step: none, operand: order}
}
