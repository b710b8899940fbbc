package kernels

import "dsac/codegen"

// selectTopk: a block per row of scores that index_scores made.
func selectTopk(s *codegen.Spec) (Kernel, error) {
	c := newChooser(s.Int("k"), s.Operands[0])
	launch := codegen.Line(s.Rows, c.threads)
	launch.Shared = uint32(c.shared())
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		t := k.BlockX()
		k.ReturnIf(t.Ge(k.Live()))
		limit := k.Pos(c.width).Add(t).Add(1).Min(c.width)
		scores := k.Arg(0).Elem(t, c.width*f32)
		c.begin(k, k.Dynamic()).choose(scores, limit, k.Arg(1).Elem(t, c.k*4))
	}}, fits(s, c.shared()+2*sumsRow)
}
