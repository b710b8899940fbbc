package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/ir/ops"
)

// loadQueries loads this warp's half of the queries as left sides of products.
func (w *parting) loadQueries() {
	from := w.memory.At(w.queriesAt()).Elem(w.half, w.width())
	for b := range w.width() / 32 {
		w.queries = append(w.queries, left(w.k, from.At(32*b), w.stride()))
	}
}

// seen says of the rows of tile i that this lane scores whether the list has not ended.
func (w *parting) seen(i codegen.I32) (ok []codegen.Pred) {
	at := w.first.Add(i.Mul(w.tile)).Add(w.own).Add(w.k.Lane().And(3).Mul(2))
	for e := range w.eights {
		for j := range 2 {
			ok = append(ok, w.entry(w.k, w.t, at.Add(8*e+j), w.end).Ge(0))
		}
	}
	return ok
}

// score multiplies a half of the queries with a half of this warp's rows and leaves the sums in
// shared memory; those of rows not seen are minus infinity.
func (w *parting) score(rows codegen.Ptr, seen []codegen.Pred) {
	k := w.k
	g, four := k.Lane().Shr(2), k.Lane().And(3)
	to := w.memory.At(w.scoresAt()).Elem(w.half, w.halfBytes()).Elem(w.own, f32)
	for e := range w.eights {
		from := rows.Elem(w.own.Add(8*e), w.stride()).Elem(w.half, w.width())
		sums := [4][4]codegen.F32{zeros4(k), zeros4(k), zeros4(k), zeros4(k)} // independent of each other
		for b := 0; b < len(w.queries); b += 2 {
			i := b % 4
			if b+1 == len(w.queries) {
				sums[i] = k.MmaF16(w.queries[b], rightKeysHalf(k, from.At(32*b), w.stride()), sums[i])
				continue
			}
			x, y := rightKeys(k, from.At(32*b), w.stride())
			sums[i] = k.MmaF16(w.queries[b], x, sums[i])
			sums[i+1] = k.MmaF16(w.queries[b+1], y, sums[i+1])
		}
		var s [4]codegen.F32
		for j := range s {
			x := sums[0][j].Add(sums[1][j]).Add(sums[2][j].Add(sums[3][j]))
			s[j] = codegen.Select(seen[2*e+j%2], x, k.F32(math.Inf(-1)))
		}
		for i := range 2 {
			to.Elem(g.Add(8*i), w.scoreStride()).Elem(four.Add(4*e), 2*f32).StF32x2([2]codegen.F32{s[2*i], s[2*i+1]})
		}
	}
}

// weigh turns the scores of a tile into weights relative to the largest score so far, as left
// sides of products, and scales what was added up before to it.
func (w *parting) weigh() (weights [][4]codegen.I32) {
	k := w.k
	g, four := k.Lane().Shr(2), k.Lane().And(3)
	weights = make([][4]codegen.I32, w.tile/16)
	var alpha [2]codegen.F32
	for i := range 2 {
		from := w.memory.At(w.scoresAt()).Elem(g.Add(8*i), w.scoreStride()).Elem(four, 2*f32)
		var s [][2]codegen.F32 // by run of 8 rows
		m := w.top[i].Get()
		for c := range w.tile / 8 {
			x, y := from.At(8*f32*c).LdF32x2(), from.At(w.halfBytes()+8*f32*c).LdF32x2()
			s = append(s, [2]codegen.F32{x[0].Add(y[0]), x[1].Add(y[1])})
			m = m.Max(s[c][0]).Max(s[c][1])
		}
		m = quadMax(m)
		base := codegen.Select(m.Eq(math.Inf(-1)), k.F32(0), m)
		alpha[i] = w.top[i].Get().Sub(base).Ex2()
		w.top[i].Set(m)
		total := w.sum[i].Get().Mul(alpha[i])
		for c, x := range s {
			a, b := x[0].Sub(base).Ex2(), x[1].Sub(base).Ex2()
			total = total.Add(a.Add(b))
			weights[c/2][c%2*2+i] = k.PackH2(a, b).Bits()
		}
		w.sum[i].Set(total)
	}
	w.acc.scaleRows(alpha)
	return weights
}

// quadMax is the largest x of four neighbouring lanes.
func quadMax(x codegen.F32) codegen.F32 {
	x = x.Max(codegen.ShflXor(x, 1))
	return x.Max(codegen.ShflXor(x, 2))
}

// values adds weights times rows of the tile to this warp's columns.
func (w *parting) values(rows codegen.Ptr, weights [][4]codegen.I32) {
	k, acc := w.k, w.acc
	columns := rows.Elem(k.Warp(), 8*2*len(acc))
	for step, a := range weights {
		for i := 0; i < len(acc); i += 2 {
			x, y := rightValues(k, columns.At(16*step*w.stride()+16*i), w.stride())
			acc.set(i, k.MmaF16(a, x, acc.get(i)))
			acc.set(i+1, k.MmaF16(a, y, acc.get(i+1)))
		}
	}
}

// store writes rows lane/4 and lane/4+8: sums, then the largest score, the sum of weights and
// zeros. Neighbouring lanes exchange halves first, so that each writes four columns at a time.
func (w *parting) store(group codegen.I32) {
	k, acc := w.k, w.acc
	part := w.t.Mul(w.parts).Add(k.BlockX())
	four := k.Lane().And(3)
	odd := four.And(1).Ne(0)
	for i := range 2 {
		head := group.Add(k.Lane().Shr(2)).Add(8 * i)
		total := k.GroupSum(w.sum[i].Get(), 4)
		sums := make([][4]codegen.F32, len(acc)/2)
		for j := range sums {
			x, y := acc.get(2*j), acc.get(2*j+1)
			sums[j] = exchange(odd, [2]codegen.F32{x[2*i], x[2*i+1]}, [2]codegen.F32{y[2*i], y[2*i+1]})
		}
		k.If(head.Lt(w.heads), func() {
			row := k.Arg(4).Elem(part.Mul(w.heads).Add(head.Min(w.heads-1)), (w.rank+ops.PartTail)*f32)
			columns := row.Elem(k.Warp(), 8*len(acc)*f32).Elem(odd.I32(), 8*f32).Elem(k.Lane().Shr(1).And(1), 4*f32)
			for j := 0; j < len(acc); j += 2 {
				columns.At(8 * j * f32).StF32x4(sums[j/2])
			}
			k.If(k.Warp().Eq(0), func() {
				first := four.Eq(0)
				row.At(w.rank*f32).Elem(four, 2*f32).StF32x2([2]codegen.F32{
					codegen.Select(first, w.top[i].Get().Mul(math.Ln2), k.F32(0)), codegen.Select(first, total, k.F32(0)),
				})
			})
		})
	}
}

// exchange gives an even lane x of itself and of the next lane, an odd one y of the lane before
// and of itself.
func exchange(odd codegen.Pred, x, y [2]codegen.F32) (out [4]codegen.F32) {
	for c := range 2 {
		other := codegen.ShflXor(codegen.Select(odd, x[c], y[c]), 1)
		out[c] = codegen.Select(odd, other, x[c])
		out[2+c] = codegen.Select(odd, y[c], other)
	}
	return out
}
