package lint

import (
	"fmt"

	"dsac/runtime/plan"
)

// Family R: ranks. The distribution of a value is the set of rank groups over which it is
// still a partial sum; it travels with the definition of the bytes.
var rankRules = []Rule{
	{Code: "R01", Repair: "put the all-reduce between the producer and this op"},
	{Code: "R02", Repair: "drop one of the two collectives"},
	{Code: "R03", Repair: "reduce over the groups that the value is partial in, all of them"},
	{Code: "R04", Repair: "add the complete value after the reduction, or make it partial too"},
}

// partial gathers the distributions of what an execution reads.
type partial struct {
	union   uint64
	shape   []uint64 // one per value read
	out     uint64   // of what it writes
	summed  bool     // some input went through a collective
	addTo   []uint64 // distributions of what it adds into
	from    int32    // an execution that made a partial input
	operand int32
}

// meet notes the definition of a range that an operand reads.
func (p *partial) meet(w *walk, a *access, d *def) {
	if a.implicit || len(w.m.groups) == 0 {
		return
	}
	if a.Effect == plan.Acc {
		if d.exec != none && w.m.flags(w.execs[d.exec].step)&plan.Init == 0 {
			p.addTo = append(p.addTo, d.dist)
		}
		return
	}
	p.union |= d.dist
	p.shape = append(p.shape, d.dist)
	if d.dist != 0 {
		p.from, p.operand = d.exec, a.index
		p.summed = p.summed || d.summed
	}
}

// dist decides what the execution at hand makes of partial sums.
func (w *walk) dist() {
	if len(w.m.groups) == 0 {
		return
	}
	p, step := &w.parts, w.execs[w.x].step
	f := &w.m.steps[step]
	p.out = f.dist
	switch {
	case f.coll == "ar" || f.coll == "rs":
		w.collective(f)
	case w.m.flags(step)&plan.Linear != 0:
		for _, s := range p.shape {
			if s != p.union {
				w.partialFault("R04", fmt.Sprintf("%s adds a value that is complete into one that is a partial sum over %s: after the reduction it counts once per rank", w.m.stepName(step), w.m.setText(p.union&^s)))
				break
			}
		}
		p.out |= p.union
	case p.union != 0 && f.coll == "":
		code, why := "R01", "has not been reduced"
		if p.summed {
			code, why = "R03", "was reduced over other groups only"
		}
		w.partialFault(code, fmt.Sprintf("%s needs a complete value, but %s is a partial sum over %s and %s", w.m.stepName(step), w.m.stepName(w.execs[p.from].step), w.m.setText(p.union), why))
	}
	for _, a := range p.addTo {
		if a != p.out {
			w.partialFault("R04", fmt.Sprintf("%s adds partial sums over %s into partial sums over %s", w.m.stepName(step), w.m.setText(p.out), w.m.setText(a)))
			break
		}
	}
	w.partialResult(step)
}

// collective: a sum over a group is right only for a value that is partial in it.
func (w *walk) collective(f *facts) {
	p, step := &w.parts, w.execs[w.x].step
	p.out |= p.union &^ f.collSet
	extra := f.collSet &^ p.union
	if extra == 0 {
		p.summed = true
		return
	}
	p.out = 0
	code := "R02"
	if p.union != 0 && p.union&f.collSet == 0 {
		code = "R03"
	}
	w.partialFault(code, fmt.Sprintf("%s sums over %s, but its input is a partial sum over %s: the result is multiplied by the ranks of %s", w.m.stepName(step), w.m.setText(f.collSet), w.m.setText(p.union), w.m.setText(extra)))
}

// partialResult: what leaves the plan, or survives the step, is read by ops that are not linear.
func (w *walk) partialResult(step int32) {
	if w.parts.out == 0 {
		return
	}
	for i := range w.acc {
		a := &w.acc[i]
		if a.Effect == plan.R || a.Effect == plan.Scr || a.implicit {
			continue
		}
		if k := w.m.kind(a.Buf); k == plan.Out || k == plan.State || w.m.p.Bufs[a.Buf].Role == plan.Result {
			w.parts.operand, w.parts.from = a.index, w.x
			w.partialFault("R01", fmt.Sprintf("%s writes %s as a partial sum over %s: it has not been reduced", w.m.stepName(step), w.m.bufName(a.Buf), w.m.setText(w.parts.out)))
		}
	}
}

func (w *walk) partialFault(code, summary string) {
	f := w.finding(rule(code), w.parts.operand)
	f.Summary = summary
	f.Ops = []Op{w.m.op(w.execs[w.x].step)}
	if w.parts.union != 0 && w.parts.from != w.x && w.parts.from != none {
		f.Ops = append(f.Ops, w.m.op(w.execs[w.parts.from].step))
	}
	if o := w.parts.operand; o != none && o >= int32(w.firstOp) && o < int32(w.firstOp+w.numOps) {
		f.Bytes = []Bytes{w.m.wholeBuf(w.m.p.Operands[o].Buf)}
	}
	w.out.add(f)
}
