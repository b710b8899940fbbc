package lint

import (
	"slices"

	"dsac/runtime/plan"
)

// Rules that hold in compiled plans only: their steps name an op of the table (kind=) and
// their buffers a shape. Hand-written plans may be looser.

// rowExtents: a compiled op reads a buffer whole, or exactly its live rows: [0, n*row), or of
// a cache [0, len*row); what it writes by rows is [0, n*row) or [pos*row, len*row). Another
// slope is another stride, another constant is a missing or foreign row (T02).
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

// boundInputs: weights and inputs have no defining op that an operand could expect. takes=
// names them in operand order, as the front end bound them (D04).
func boundInputs(s *site) {
	want := list(s.attr("takes"))
	if want == nil {
		return
	}
	k := 0
	for i, o := range s.m.p.Ops(&s.m.p.Steps[s.step]) {
		if kind := s.m.kind(o.Buf); o.Effect != plan.R || o.Expect.Len > 0 || kind != plan.Const && kind != plan.In {
			continue
		}
		if k >= len(want) || want[k] != s.m.bufName(o.Buf) {
			wanted := "nothing there"
			if k < len(want) {
				wanted = want[k]
			}
			s.about(i, o.Buf, "%s reads %s; the model binds %s", s.name(), s.m.bufName(o.Buf), wanted)
		}
		k++
	}
	if k < len(want) {
		s.about(0, s.m.p.Ops(&s.m.p.Steps[s.step])[0].Buf, "%s does not read %s, which the model binds", s.name(), want[k])
	}
}
