package lint

import (
	"fmt"

	"dsac/runtime/plan"
)

// gridWait is P13: what a step that says gw must do in its kernel. It may touch nothing ahead of
// the wait but constants, which no launch writes; and it must wait on every way out. Then a
// launch that has ended has waited for the end of the launches before it, so that whoever waits
// for it need not wait for those: each wait covers all that came before.
func (s *site) gridWait(sum *Summary) {
	st := &s.m.p.Steps[s.step]
	if st.Flags&plan.GW == 0 {
		return
	}
	bad := func(operand int32, format string, args ...any) {
		s.kernel(violation{"P13", operand, fmt.Sprintf(format, args...)})
	}
	if sum.Exit != "" {
		bad(none, "can end without waiting for its grid (%s): launches after it would not wait for those before it", sum.Exit)
	}
	if sum.Early != "" {
		bad(none, "touches what cannot be traced to a parameter ahead of its grid wait (%s)", sum.Early)
	}
	ops := s.m.p.Ops(st)
	for i := range min(len(sum.Args), len(sum.Params)) {
		a, p := sum.Args[i], &sum.Params[i]
		name, constant := "the control buffer", false
		if a >= 0 && int(a) < len(ops) {
			b := &s.m.p.Bufs[ops[a].Buf]
			name, constant = s.m.bufName(ops[a].Buf), s.m.p.Regions[b.Region].Kind == plan.Const && !p.Mode.stores()
		}
		switch {
		case constant:
		case p.Early != "":
			bad(max(a, none), "touches %s ahead of its grid wait (%s)", name, p.Early)
		case p.Mode == NonCoherent && st.Flags&plan.PDL != 0:
			bad(max(a, none), "reads %s, which is no constant, through the non-coherent path: such loads may be taken ahead of the grid wait", name)
		}
	}
}
