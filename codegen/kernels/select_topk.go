package kernels

import "dsac/codegen"

// selectTopk: a block per row that index_scores made.
func selectTopk(s *codegen.Spec) (Kernel, error) {
	count, scores := s.Int("k"), s.Operands[0]
	d, ok := newDescent(count, s.Context, scores)
	threads, shared, choose := d.threads, d.shared(), d.choose
	if !ok {
		c := newChooser(count, s.Context, scores)
		threads, shared, choose = c.threads, c.shared(), func(k *codegen.K, row codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
			c.begin(k, k.Dynamic()).choose(row, limit, list)
		}
	}
	launch := codegen.Line(s.Rows, threads)
	launch.Shared = uint32(shared)
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		k.MinBlocks(1)
		t := k.BlockX()
		limit := k.Pos(s.Context).Add(t).Add(1).Min(s.Context)
		k.ReturnIf(t.Ge(k.Live())) // never in a step of one row, which shares the kernel of the others
		choose(k, k.Arg(0).Elem(t, scores.Width()*f32), limit, k.Arg(1).Elem(t, count*4))
	}}, fits(s, shared+sharedDigits(threads))
}
