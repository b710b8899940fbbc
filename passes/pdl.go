package passes

import "dsac/runtime/plan"

// pdl lets launches start while the one before them still runs (programmatic dependent
// launch): what a kernel does before it waits for the grid then overlaps the end of the kernel
// before it. It needs a target whose kernels wait; it leaves the unit marked for emit; it never
// changes what is ordered: the lint proves that kernels wait (P13).
func pdl(u *Unit) error {
	gpu := u.Opt.target().GPU
	u.Early = gpu != nil && gpu.PDL()
	return nil
}

// startEarly marks the steps of an entry whose launch may start before the one ahead of it has
// ended. The first has none ahead of it, and collectives are not launched as kernels of the plan.
func (x *entryEmitter) startEarly(first uint32) {
	p := x.b.P
	ours, early := false, false // the launch ahead is a kernel of the plan; this one starts early
	launch := plan.None
	for i := first; i < uint32(len(p.Steps)); i++ {
		s := &p.Steps[i]
		_, collective := p.FindAttr(s.Attrs, "coll")
		if s.Launch != launch {
			early, launch = ours && !collective, s.Launch
		}
		if !collective {
			s.Flags |= plan.GW // its kernel waits, whether or not something is ahead of it here
		}
		if early {
			s.Flags |= plan.PDL
		}
		ours = !collective
	}
}
