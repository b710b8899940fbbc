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

// startEarly marks the steps of an entry that may start before the one ahead of them has ended.
// The first has none ahead of it, and collectives are not launched by the plan's kernels.
func (x *entryEmitter) startEarly(first uint32) {
	p := x.b.P
	ours := false
	for i := first; i < uint32(len(p.Steps)); i++ {
		s := &p.Steps[i]
		_, collective := p.FindAttr(s.Attrs, "coll")
		if ours && !collective {
			s.Flags |= plan.PDL | plan.GW
		}
		ours = !collective
	}
}
