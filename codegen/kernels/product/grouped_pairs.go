package product

import "dsac/codegen"

// finder finds the pairs of row and slot that chose the expert of a block. A window of the list
// of choices is looked at at once, by a thread every threads-th choice, of which it remembers
// the matching ones as bits; the pairs of a window are numbered thread by thread.
type finder struct {
	*grouped
	k      *codegen.K
	expert codegen.I32
	list   codegen.Ptr // shared: numbers of up to slots pairs
	counts codegen.Ptr // shared: pairs found by the warps
	at     codegen.Ptr // shared: first choice of the window, pairs of it that are done
	turn   codegen.Ptr // shared: of the product
}

// maxMasks bounds the registers for bits.
const maxMasks = 4

// masks returns the words of bits of a thread.
func (f *finder) masks() int {
	return min(maxMasks, ceilDiv(f.rows*f.slotsOf, 32*f.threads()))
}

// each calls body, for all threads together, for up to slots pairs at a time, in the list. The
// choices are looked at again for each of them, and where it is is kept in shared memory: body
// has few registers to spare.
func (f *finder) each(body func(n codegen.I32)) {
	k, window := f.k, 32*f.threads()*f.masks()
	base, from := f.at, f.at.At(4)
	k.If(k.Thread().Eq(0), func() {
		base.StI32(k.I32(0))
		from.StI32(k.I32(0))
	})
	k.Sync()
	k.While(func() codegen.Pred { return base.LdI32().Lt(f.live()) }, func() {
		all := f.take(base.LdI32(), from.LdI32())
		n := all.Sub(from.LdI32()).Min(f.slots)
		k.Sync()
		k.If(k.Thread().Eq(0), func() {
			next := from.LdI32().Add(f.slots)
			done := next.Ge(all)
			from.StI32(codegen.Select(done, k.I32(0), next))
			k.If(done, func() { base.StI32(base.LdI32().Add(window)) })
		})
		k.If(n.Gt(0), func() { body(n) })
		k.Sync()
	})
}

// live returns the pairs of live rows.
func (f *finder) live() codegen.I32 { return f.k.Live().Clamp(0, f.rowLimit(f.k)).Mul(f.slotsOf) }

// take puts up to slots pairs of the window at base, the ones after the first from, into the
// list, and returns how many the window has.
func (f *finder) take(base, from codegen.I32) codegen.I32 {
	k := f.k
	var masks []*codegen.Var[codegen.I32]
	count := k.I32(0)
	for i := range f.masks() {
		masks = append(masks, f.look(base.Add(32*i*f.threads())))
		count = count.Add(masks[i].Get().Popc())
	}
	rank, all := f.rank(count)
	next := codegen.Let(rank.Sub(from))
	for i, m := range masks {
		k.While(func() codegen.Pred { return m.Get().Ne(0) }, func() {
			low := m.Get().And(m.Get().Neg())
			m.Set(m.Get().Xor(low))
			at := k.I32(31).Sub(low.Clz()).Add(32 * i).Mul(f.threads()).Add(k.Thread()).Add(base)
			k.If(next.Get().Ge(0).And(next.Get().Lt(f.slots)), func() {
				f.list.Elem(next.Get().Clamp(0, f.slots-1), 4).StI32(at)
			})
			next.Set(next.Get().Add(1))
		})
	}
	return all
}

// look returns the bits of this thread for the choices from first on: bit i is choice
// first + i*threads + thread.
func (f *finder) look(first codegen.I32) *codegen.Var[codegen.I32] {
	k, total := f.k, f.live()
	mask := codegen.Let(k.I32(0))
	const some = 8 // loads under way
	k.For(0, 32, some, func(i codegen.I32) {
		from := first.Add(i.Mul(f.threads()))
		k.If(from.Lt(total), func() {
			var e [some]codegen.I32
			var in [some]codegen.Pred
			for b := range e {
				at := from.Add(b * f.threads()).Add(k.Thread())
				in[b] = at.Lt(total)
				e[b] = k.Arg(f.idx).Elem(at.Clamp(0, f.lastPair(k)), 4).Fixed().When(in[b]).LdI32()
			}
			for b := range e {
				chosen := in[b].And(e[b].Clamp(0, f.weights[0].count-1).Eq(f.expert))
				mask.Set(mask.Get().Or(chosen.I32().Shl(i.Add(b))))
			}
		})
	})
	return mask
}

// rank returns how many pairs the threads before this one have, and how many there are.
func (f *finder) rank(count codegen.I32) (before, all codegen.I32) {
	k := f.k
	sum := count
	for d := 1; d < 32; d *= 2 {
		up := codegen.ShflUp(sum, d)
		sum = sum.Add(codegen.Select(k.Lane().Ge(d), up, k.I32(0)))
	}
	k.If(k.Lane().Eq(31), func() { f.counts.Elem(k.Warp(), 4).StI32(sum) })
	k.Sync()
	before, all = sum.Sub(count), k.I32(0)
	for w := range f.warps {
		c := f.counts.At(4 * w).LdI32()
		before = before.Add(codegen.Select(k.Warp().Gt(w), c, k.I32(0)))
		all = all.Add(c)
	}
	return before, all
}
