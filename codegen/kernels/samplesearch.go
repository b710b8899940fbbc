package kernels

import (
	"dsac/codegen"
)

// A bin has a count and the sums of the weights' three digits, a word each: 32-bit counters of
// shared memory are far quicker than 64-bit ones. As many ids as there may be do not overflow
// them.
const (
	binSize  = 16
	massBits = 11
)

// binned is what is in a bin.
type binned struct {
	count codegen.I32
	mass  codegen.I64
}

// tally adds a weight to a bin where it is in; weighs says whether its mass is asked for.
func (l *sifted) tally(bin codegen.I32, w codegen.I64, in, weighs codegen.Pred) {
	k := l.k
	k.If(in, func() {
		at := l.bins.Elem(bin, binSize)
		at.Count(k.I32(1))
		k.If(weighs, func() {
			for i := range 3 {
				at.At(4 + 4*i).Count(w.Shr(massBits * i).I32().And(1<<massBits - 1))
			}
		})
	})
}

// take returns what is in a bin, and empties it.
func (l *sifted) take(bin codegen.Ptr) binned {
	x := bin.LdI32x4()
	l.empty(bin)
	mass := x[1].I64().Add(x[2].I64().Shl(massBits)).Add(x[3].I64().Shl(2 * massBits))
	return binned{x[0], mass}
}

func (l *sifted) empty(bin codegen.Ptr) {
	zero := l.k.I32(0)
	bin.StI32x4([4]codegen.I32{zero, zero, zero, zero})
}

// search returns the highest rank, or a number between it and the next lower one, such that the
// mass of the ranks from it up to hi reaches goal; ranks below lo do not count. The mass of a
// rank is its weight, or 1. Histograms of the highest bits in which ranks differ leave one bin of
// all, until that is wanted whole or has one rank.
func (l *sifted) search(lo, hi, goal codegen.I64, weighs codegen.Pred) codegen.I64 {
	k := l.k
	from, to, left := codegen.Let(lo), codegen.Let(hi), codegen.Let(goal)
	more := codegen.Let(k.I32(1))
	k.While(func() codegen.Pred { return more.Get().Ne(0) }, func() {
		span := to.Get().Sub(from.Get())
		shift := k.I32(64 - log2(drawThreads)).Sub(clz64(span)).Max(0)
		l.look(func(r codegen.I64) {
			at := r.Sub(from.Get())
			in := r.UGe(from.Get()).And(span.UGe(at))
			l.tally(at.Shr(shift.I64()).I32().Clamp(0, drawThreads-1), r.Shr(rankBits), in, weighs)
		})
		k.Sync()
		k.If(k.Thread().Eq(0), l.none)
		bin := k.I32(drawThreads - 1).Sub(k.Thread())
		b := l.take(l.bins.Elem(bin, binSize))
		mass := codegen.Select(weighs, b.mass, b.count.I64())
		above, _ := l.scan(mass, drawThreads)
		rest := left.Get().Sub(above)
		k.If(above.ULt(left.Get()).And(mass.UGe(rest)), func() {
			done := b.count.Eq(1).Or(mass.Eq(rest)).Or(shift.Eq(0)).I32()
			l.found.StI64x2([2]codegen.I64{k.Join(bin, done), rest})
		})
		k.Sync()
		x := l.found.LdI64x2()
		from.Set(from.Get().Add(x[0].I32().I64().Shl(shift.I64())))
		to.Set(to.Get().UMin(from.Get().Add(k.I64(1).Shl(shift.I64())).Sub(1)))
		left.Set(x[1])
		more.Set(k.I32(1).Sub(x[0].High()))
	})
	return from.Get()
}

// clz64 counts the leading zeros.
func clz64(x codegen.I64) codegen.I32 {
	high := x.High()
	return codegen.Select(high.Ne(0), high.Clz(), x.I32().Clz().Add(32))
}
