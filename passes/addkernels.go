package passes

import "dsac/runtime/plan"

// AddKernels gives the launches of a plan that was not made by Compile, such as one read from
// text, the kernels of opt.Target, as Compile does.
func AddKernels(p *plan.Plan, opt Options) error {
	b := plan.NewBuilder()
	b.P = p
	return kernels(b, &opt)
}
