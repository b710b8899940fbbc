package kernels

import "dsac/codegen"

// selectTopk: a block per row that index_scores made, or a cluster of them.
func selectTopk(s *codegen.Spec) (Kernel, error) {
	count, scores := s.Int("k"), s.Operands[0]
	d, ok := newDescent(count, s.Context, scores)
	w := newCrew(d, s.Rows, s.Target)
	threads, blocks, shared, choose := w.threads, w.blocks, w.shared(), w.choose
	if !ok {
		c := newChooser(count, s.Context, scores)
		threads, blocks, shared, choose = c.threads, 1, c.shared(), func(k *codegen.K, row codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
			c.begin(k, k.Dynamic()).choose(row, limit, list)
		}
	}
	launch := codegen.Line(s.Rows*blocks, threads)
	launch.Shared = uint32(shared)
	if blocks > 1 {
		launch.Cluster = blocks
	}
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		if blocks > 1 {
			k.Cluster(blocks)
		}
		k.MinBlocks(1)
		t := k.BlockX().Shr(log2(blocks))
		limit := k.Pos(s.Context).Add(t).Add(1).Min(s.Context)
		k.ReturnIf(t.Ge(k.Live())) // never in a step of one row, which shares the kernel of the others
		choose(k, k.Arg(0).Elem(t, scores.Width()*f32), limit, k.Arg(1).Elem(t, count*4))
	}}, fits(s, shared+sharedDigits(threads)+sharedCrew)
}
