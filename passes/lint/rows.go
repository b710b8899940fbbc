package lint

import (
	"slices"

	"dsac/runtime/plan"
)

// Rules that hold in compiled plans only: their steps name an op of the table (kind=) and
// their buffers a shape. Hand-written plans may be looser.

// rowExtents: a compiled op reads a buffer whole, or exactly its live rows: [0, n*row), or of
// a cache [0, len*row); what it writes by rows is [0, n*row) or [pos*row, len*row). Another
// slope is another stride, another constant is a missing or foreign row (T02). What it leaves in
// an input for the next step starts at the first row.
func rowExtents(s *site) {
	if s.m.p.Steps[s.step].Op == 0 {
		return
	}
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		b := &s.m.p.Bufs[o.Buf]
		if b.Dims == 0 || b.Shape[0] == 0 || b.Role == plan.Control || o.Effect == plan.Scr || o.Hi == plan.Whole {
			continue
		}
		row := int64(b.Size) / int64(b.Shape[0])
		if o.Lo.Sym == plan.NoSym && o.Hi.Sym == plan.NoSym {
			if o.Effect == plan.W && s.m.kind(o.Buf) == plan.In && o.Lo.C != 0 {
				s.about(i, o.Buf, "%s writes input %s from byte %d on: the next step reads it from its first row", s.name(), s.m.bufName(o.Buf), o.Lo.C)
			}
			if reads(o.Effect) && o.Effect != plan.Acc && o.Hi.C-o.Lo.C != int64(b.Size) {
				s.about(i, o.Buf, "%s reads bytes %d to %d of %s, which has %d: an op reads a buffer whole, or its live rows", s.name(), o.Lo.C, o.Hi.C, s.m.bufName(o.Buf), b.Size)
			}
			continue
		}
		if !slices.Contains(legalRows(o.Effect, row), [2]plan.Lin{o.Lo, o.Hi}) {
			s.about(i, o.Buf, "%s %s a range of %s that is not its live rows of %d bytes each", s.name(), presents[o.Effect], s.m.bufName(o.Buf), row)
		}
	}
}

func legalRows(e plan.Effect, row int64) [][2]plan.Lin {
	live := [2]plan.Lin{{}, plan.Times(row, plan.SymN)}
	if e == plan.W || e == plan.Acc {
		return [][2]plan.Lin{live, {plan.Times(row, plan.SymPos), plan.Times(row, plan.SymLen)}}
	}
	return [][2]plan.Lin{live, {{}, plan.Times(row, plan.SymLen)}}
}

// boundNames: weights and inputs have no defining op that an operand could expect, and an
// expectation does not say which of several outputs it means. takes= names these inputs, gives=
// the outputs, in operand order, as the front end bound them (D04). Everything else that a
// compiled op reads must say what it expects.
func boundNames(s *site) {
	s.compareNames("takes", "reads", func(o *plan.Operand, k plan.RegionKind) bool {
		return o.Effect == plan.R && Ambiguous(s.m.p, o)
	})
	s.compareNames("gives", "writes", func(o *plan.Operand, _ plan.RegionKind) bool { return o.Effect == plan.W })
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		switch k := s.m.kind(o.Buf); {
		case k == plan.Const && o.Expect.Len > 0:
			s.about(i, o.Buf, "%s reads %s; it wants the output of an op", s.name(), s.m.bufName(o.Buf))
		case k == plan.Arena && reads(o.Effect) && o.Expect.Len == 0 && s.m.p.Steps[s.step].Op != 0:
			s.about(i, o.Buf, "%s %s temporary %s without saying whose output it wants", s.name(), presents[o.Effect], s.m.bufName(o.Buf))
		}
	}
}

// Ambiguous says whether an operand's expected definition leaves open which buffer is meant:
// there is none because it is a weight or an input, or the expected op has several outputs.
// takes= must name the buffers of such operands that a step reads.
func Ambiguous(p *plan.Plan, o *plan.Operand) bool {
	if o.Expect.Len == 0 {
		k := p.Regions[p.Bufs[o.Buf].Region].Kind
		return k == plan.Const || k == plan.In
	}
	for _, e := range p.Expected(o) {
		outputs := 0
		if e != plan.None {
			for _, w := range p.Ops(&p.Steps[e]) {
				if w.Effect == plan.W {
					outputs++
				}
			}
		}
		if outputs > 1 {
			return true
		}
	}
	return false
}

// compareNames checks the operands that belong to a list of names.
func (s *site) compareNames(key, verb string, belongs func(*plan.Operand, plan.RegionKind) bool) {
	want := list(s.attr(key))
	if want == nil {
		return
	}
	ops, k := s.m.p.Ops(&s.m.p.Steps[s.step]), 0
	for i := range ops {
		if !belongs(&ops[i], s.m.kind(ops[i].Buf)) {
			continue
		}
		name := "nothing there"
		if k < len(want) {
			name = want[k]
		}
		if have := s.m.bufName(ops[i].Buf); have != name {
			s.about(i, ops[i].Buf, "%s %s %s; the model binds %s", s.name(), verb, have, name)
		}
		k++
	}
	if k < len(want) {
		f := s.finding(none)
		f.Summary = s.name() + " binds no operand to " + want[k] + ", which the model does"
		s.out.add(f)
	}
}
