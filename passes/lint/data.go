package lint

import (
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// Family D: data flow. The rules about reads are in precedence.go.
var dataRules = []Rule{
	{Code: "D01", Repair: "bind the consumer to this output, or give the buffer role=diag and a reason", entry: phantomOutputs},
	{Code: "D02", Repair: "remove the chain, or bind its end to the consumer that it was made for", entry: deadChains},
	{Code: "D03", Repair: "bind the operand to the buffer that its producer writes", plan: unloadedWeights},
	{Code: "D04", Repair: "bind the operand to the expected output, or put the ops back in order", step: boundNames, plan: boundWeights},
	{Code: "D05", Repair: "let an op write the result, or drop the buffer", entry: missingResults},
	{Code: "D06", Repair: "give the two definitions buffers of their own, or mark the first op init", entry: lostWrites},
	{Code: "D07", Repair: "let the producer write all of the range, or read only what it writes", end: partialResults},
	{Code: "D08", Repair: "zero the bytes first (an op marked init)"},
	{Code: "D09", Repair: "fill the tail before the op: it mixes rows, so that garbage there changes real ones"},
}

// persists says whether bytes are of use without a reader in the entry: results, what survives
// the step, what others read, and what is marked as diagnostic.
func (m *model) persists(buf int32) bool {
	for b := buf; b != plan.None; b = m.p.Bufs[b].Parent {
		switch m.p.Bufs[b].Role {
		case plan.Result, plan.Diag, plan.Control:
			return true
		}
	}
	return m.kind(buf) != plan.Arena
}

// definitions calls f for each operand of an executed step that defines bytes nobody outside
// the entry asks for.
func (u *unit) definitions(marks []mark, f func(step int32, o *plan.Operand, index int32, k mark)) {
	u.operands(func(step int32, i uint32, o *plan.Operand) {
		if k := marks[i-u.firstOp]; k&ran != 0 && o.Effect != plan.R && o.Effect != plan.Scr && !u.m.persists(o.Buf) {
			f(step, o, int32(i), k)
		}
	})
}

// join merges the walks: a definition ran or was read if it was at any point; its bytes count
// as unread only if that is so at every point at which it ran.
func joinMarks(walks [][]mark) []mark {
	if len(walks) == 0 {
		return nil
	}
	out := slices.Clone(walks[0])
	for _, w := range walks[1:] {
		for i, k := range w {
			if k&ran == 0 {
				continue
			}
			all := unread & (out[i] & k)
			if out[i]&ran == 0 {
				all = k & unread
			}
			out[i] = (out[i]|k)&^unread | all
		}
	}
	return out
}

// phantomOutputs is D01: nobody reads any byte of a definition (an error), or never reads some
// of its bytes (a warning: padding is legal, a consumer that takes too little is not).
func phantomOutputs(u *unit, marks []mark) {
	r := rule("D01")
	u.definitions(marks, func(step int32, o *plan.Operand, i int32, k mark) {
		if k&wasLost != 0 && k&wasRead == 0 || k&(wasRead|unread) == wasRead || u.m.flags(step)&plan.Init != 0 && k&wasRead != 0 {
			return
		}
		f := u.finding(r, step, i)
		f.Ops, f.Bytes = []Op{u.m.op(step)}, []Bytes{u.m.wholeBuf(o.Buf)}
		f.Summary = fmt.Sprintf("%s writes %s, which nobody reads", u.m.stepName(step), u.m.bufName(o.Buf))
		if k&wasRead != 0 {
			f.Severity = Warning
			f.Summary = fmt.Sprintf("%s writes bytes of %s which nobody reads, although others are read", u.m.stepName(step), u.m.bufName(o.Buf))
			f.Repair = "let the consumers read all of it, or write only what they read"
		}
		u.out.add(f)
	})
}

// lostWrites is D06.
func lostWrites(u *unit, marks []mark) {
	r := rule("D06")
	u.operands(func(step int32, i uint32, o *plan.Operand) {
		k := marks[i-u.firstOp]
		if k&wasLost == 0 || k&wasRead != 0 || o.Effect == plan.Scr || u.m.flags(step)&plan.Init != 0 || u.m.p.Bufs[o.Buf].Role == plan.Diag {
			return
		}
		f := u.finding(r, step, int32(i))
		f.Ops, f.Bytes = []Op{u.m.op(step)}, []Bytes{u.m.wholeBuf(o.Buf)}
		f.Summary = fmt.Sprintf("%s writes %s, which is overwritten before anyone reads it", u.m.stepName(step), u.m.bufName(o.Buf))
		u.out.add(f)
	})
}

// missingResults is D05: a result of this entry, or one that all entries share, that no op of
// this entry writes.
func missingResults(u *unit, _ []mark) {
	r := rule("D05")
	written := map[int32]bool{}
	for _, x := range u.execs {
		for _, o := range u.m.p.Ops(&u.m.p.Steps[x.step]) {
			if o.Effect != plan.R && o.Effect != plan.Scr {
				written[u.m.root[o.Buf]] = true
			}
		}
	}
	for i := range u.m.p.Bufs {
		b := &u.m.p.Bufs[i]
		isResult := b.Role == plan.Result || u.m.kind(int32(i)) == plan.Out
		if !isResult || b.Entry != u.e && (b.Entry != plan.None || u.isLoad()) || written[u.m.root[i]] {
			continue
		}
		f := u.finding(r, none, int32(i))
		f.Bytes = []Bytes{u.m.wholeBuf(int32(i))}
		f.Summary = fmt.Sprintf("result %s is never written", u.m.bufName(int32(i)))
		u.out.add(f)
	}
}

// isLoad says whether the entry loads weights: it may write them, and makes no results.
func (u *unit) isLoad() bool { return u.m.p.Str(u.entry.Name) == "load" }

// partialResults is D07 at the outside reader: when all rows are live, every byte of a result
// that states its shape must be defined. (One without a shape may have padding.)
func partialResults(w *walk) {
	if w.point.N != int64(w.entry.Rows) {
		return
	}
	p := w.m.p
	for i := range p.Bufs {
		b := &p.Bufs[i]
		isResult := b.Role == plan.Result || w.m.kind(int32(i)) == plan.Out
		if !isResult || b.Dims == 0 || b.Entry != w.e || w.cluster[i] == none || !w.defined[w.m.root[i]] {
			continue
		}
		w.outside(rule("D07"), int32(i), w.m.place[i].hi, "is read outside the plan")
	}
}

// outside reports the first bytes of buf below hi that are undefined or another buffer's when
// the step ends.
func (w *walk) outside(r *Rule, buf int32, hi int64, why string) {
	lo := w.m.place[buf].lo
	hi = min(hi, w.m.place[buf].hi)
	if lo >= hi {
		return
	}
	for _, s := range w.maps[w.cluster[buf]].over(lo, hi) {
		if s.def != none && w.defs[s.def].root == w.m.root[buf] && w.defs[s.def].effect != plan.Scr {
			continue
		}
		f := w.unit.finding(r, w.lastWriter(buf), buf)
		f.Point = pointText(w.point, w.usesN, w.usesPos)
		f.Bytes = []Bytes{w.m.bytes(buf, s.lo, s.hi)}
		if f.step != none {
			f.Ops = []Op{w.m.op(f.step)}
		}
		f.Summary = fmt.Sprintf("%s %s, but nobody has written it when the step ends", f.Bytes[0], why)
		if s.def != none {
			if d := &w.defs[s.def]; d.exec != none {
				f.Summary = fmt.Sprintf("%s %s, but holds %s of %s when the step ends", f.Bytes[0], why, w.m.bufName(d.buf), w.m.stepName(w.execs[d.exec].step))
			}
		}
		w.out.add(f)
		return
	}
}

// lastWriter returns the last step that defines bytes of a buffer's root, or none.
func (w *walk) lastWriter(buf int32) int32 {
	for i := len(w.defs) - 1; i >= 0; i-- {
		if d := &w.defs[i]; d.root == w.m.root[buf] && d.exec != none {
			return w.execs[d.exec].step
		}
	}
	return none
}
