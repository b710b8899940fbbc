package kernels

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// largest finds the largest magnitudes among this warp's sums of rows lane/4 and lane/4+8, and
// tells them to the other warp with the same heads, which has the other columns.
func (w *attending) largest() (own [2]codegen.F32) {
	k := w.k
	for i := range own {
		own[i] = k.F32(0)
		for j := range w.acc {
			x := w.acc.get(j)
			own[i] = own[i].Max(x[2*i].Abs()).Max(x[2*i+1].Abs())
		}
		own[i] = quadMax(own[i])
		k.If(k.Lane().And(3).Eq(0), func() { w.largestOf(k.Warp(), i).StF32(own[i]) })
	}
	return own
}

// largestOf is where a warp tells what it found, in the place of its half sums.
func (w *attending) largestOf(warp codegen.I32, i int) codegen.Ptr {
	return w.memory.At(w.halvesAt()).Elem(warp, 32*32).Elem(w.k.Lane().Shr(2).Add(8*i), f32)
}

// storeHalf stores this warp's half of row lane/4+8i of the heads, times inverse, as half_rows
// makes it. What lies behind the values is stored by the warp whose half has number i.
func (w *attending) storeHalf(t codegen.I32, i int, inverse, largest codegen.F32) {
	k := w.k
	g, four := k.Lane().Shr(2), k.Lane().And(3)
	head, mine := w.head.Add(g).Add(8*i), w.half.Eq(i)
	k.If(head.Lt(w.heads), func() {
		factor, scale := rowScale(k, largest.Mul(inverse), mine.And(four.Eq(0)))
		row := k.Arg(4).Elem(t.Mul(w.heads).Add(head.Min(w.heads-1)), plan.HalfWidth(w.rank)*plan.HalfBytes)
		columns := row.Elem(w.half, w.rank/2*plan.HalfBytes).Elem(four, 2*plan.HalfBytes)
		for j := range w.acc {
			x := w.acc.get(j)
			for e := range 2 {
				x[2*i+e] = x[2*i+e].Mul(inverse).Mul(factor)
			}
			columns.At(8 * j * plan.HalfBytes).StH2(k.PackH2(x[2*i], x[2*i+1]))
		}
		k.If(mine, func() { w.storeTail(row.At(w.rank*plan.HalfBytes), scale) })
	})
}

// storeTail stores what lies behind the values of a row, four lanes 16 bytes each at a time.
func (w *attending) storeTail(tail codegen.Ptr, scale codegen.F32) {
	const eight = 8 * plan.HalfBytes
	k := w.k
	chunks, at := (plan.HalfWidth(w.rank)-w.rank)/8, (plan.HalfScale(w.rank)-w.rank)/8
	k.Each(k.Lane().And(3), 4, chunks, func(c codegen.I32) {
		zero := k.I32(0)
		tail.Elem(c, eight).StI32x4([4]codegen.I32{codegen.Select(c.Eq(at), scale.Bits(), zero), zero, zero, zero})
	})
}
