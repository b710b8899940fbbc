package product

import "dsac/codegen"

// fromAll goes through the block's groups with all of x staged.
func (e *streaming) fromAll(group *codegen.Var[codegen.I32]) {
	k := e.k
	round := codegen.Let(k.I32(1))
	k.While(func() codegen.Pred { return round.Get().Ne(0) }, func() {
		e.st.move(k, e.firstChunk(), e.iters*e.iterChunks())
		k.Sync()
		k.IfElse(e.st.flagged(k).And(round.Get().Eq(1)), func() { // once more, with other factors
			e.st.exact(k)
			round.Set(k.I32(2))
		}, func() { round.Set(k.I32(0)) })
	})
	e.gather()
	parity := codegen.Let(k.I32(0))
	k.While(func() codegen.Pred { return group.Get().Lt(e.groups) }, func() {
		e.parity = parity.Get()
		e.multiply(k.I32(0), k.I32(e.iters))
		k.Sync()
		e.finish(group.Get())
		group.Set(group.Get().Add(e.stride()))
		parity.Set(parity.Get().Xor(1))
	})
}

// fromWindows stages x part by part for each group.
func (e *streaming) fromWindows(group *codegen.Var[codegen.I32]) {
	k := e.k
	e.gather()
	parity := codegen.Let(k.I32(0))
	exact := codegen.Let(k.I32(0))
	k.While(func() codegen.Pred { return group.Get().Lt(e.groups) }, func() {
		e.parity = parity.Get()
		k.For(0, e.iters, e.window, func(lo codegen.I32) {
			k.Sync()
			// The last window may be short: nothing multiplies what is staged past the end.
			e.st.move(k, e.firstChunk().Add(lo.Mul(e.iterChunks())), e.window*e.iterChunks())
			k.Sync()
			e.multiply(lo, lo.Add(e.window).Min(e.iters))
		})
		k.Sync()
		k.IfElse(e.st.flagged(k).And(exact.Get().Eq(0)), func() { // once more, with other factors
			e.st.exact(k)
			exact.Set(k.I32(1))
			e.start(group.Get())
		}, func() {
			e.finish(group.Get())
			group.Set(group.Get().Add(e.stride()))
			if e.cluster > 1 {
				parity.Set(parity.Get().Xor(1))
			}
		})
	})
}
