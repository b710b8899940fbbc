package product

import "dsac/codegen"

// finder finds the pairs of row and slot that chose the expert of a block. A window of the list
// of choices is looked at at once, by a thread every threads-th choice, of which it remembers
// the matching ones as bits; the pairs of a window are numbered thread by thread.
type finder struct {
	*grouped
	k      *codegen.K
	expert codegen.I32
	total  codegen.I32 // pairs of live rows
	list   codegen.Ptr // shared: numbers of up to slots pairs
	counts codegen.Ptr // shared: per warp
}

// maxMasks bounds the registers for bits.
const maxMasks = 4

// masks returns the words of bits of a thread.
func (f *finder) masks() int {
	return min(maxMasks, ceilDiv(f.rows*f.slotsOf, 32*f.threads()))
}

// each calls body, for all threads together, for up to slots pairs at a time, in the list. The
// choices are looked at again for each of them: what is remembered would cost registers.
func (f *finder) each(body func(n codegen.I32)) {
	k, window := f.k, 32*f.threads()*f.masks()
	base, from := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	k.While(func() codegen.Pred { return base.Get().Lt(f.total) }, func() {
		all := f.take(base.Get(), from.Get())
		k.Sync()
		k.If(from.Get().Lt(all), func() { body(all.Sub(from.Get()).Min(f.slots)) })
		k.Sync()
		from.Set(from.Get().Add(f.slots))
		k.If(from.Get().Ge(all), func() {
			from.Set(k.I32(0))
			base.Set(base.Get().Add(window))
		})
	})
}

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
	k := f.k
	mask := codegen.Let(k.I32(0))
	const some = 8 // loads under way
	k.For(0, 32, some, func(i codegen.I32) {
		from := first.Add(i.Mul(f.threads()))
		k.If(from.Lt(f.total), func() {
			var e [some]codegen.I32
			var in [some]codegen.Pred
			for b := range e {
				at := from.Add(b * f.threads()).Add(k.Thread())
				in[b] = at.Lt(f.total)
				e[b] = k.Arg(f.idx).Elem(at.Clamp(0, f.rows*f.slotsOf-1), 4).ReadOnly().When(in[b]).LdI32()
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
