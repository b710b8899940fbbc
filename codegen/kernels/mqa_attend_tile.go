package kernels

import (
	"math"

	"dsac/codegen"
)

// loadQueries takes this warp's half of the elements of 16 queries into registers, as the left
// sides of products.
func (w *attending) loadQueries(t codegen.I32) {
	k := w.k
	words := make([][4]*codegen.Var[codegen.I32], w.steps())
	for i := range words {
		words[i] = [4]*codegen.Var[codegen.I32](codegen.Lets(4, k.I32(0)))
	}
	for half := range 2 {
		k.If(w.half.Eq(half), func() {
			for i := range words {
				for j, v := range words[i] { // rows lane/4 and +8, then the same 8 elements on
					v.Set(w.queryWord(t, k.Lane().Shr(2).Add(j%2*8), 16*(half*w.steps()+i)+j/2*8))
				}
			}
		})
	}
	for i := range words {
		var x [4]codegen.I32
		for j, v := range words[i] {
			x[j] = v.Get()
		}
		w.queries = append(w.queries, x)
	}
}

// queryWord loads two elements of head w.head+row, from element e plus two per lane mod 4.
func (w *attending) queryWord(t, row codegen.I32, e int) codegen.I32 {
	head := w.head.Add(row)
	at := t.Mul(w.heads).Add(head.Min(w.heads - 1))
	p := rowAt(w.k.Arg(0), w.qa, at).At(e * f32)
	if e >= w.rank {
		p = rowAt(w.k.Arg(1), w.qp, at).At((e - w.rank) * f32)
	}
	x := p.Elem(w.k.Lane().And(3), 2*f32).When(head.Lt(w.heads)).LdF32s(2)
	factor := w.scale * codegen.Log2E // see mqa.query
	return w.k.PackH2(x[0].Mul(factor), x[1].Mul(factor)).Bits()
}

// score multiplies the halves of queries and rows of the tile: four fragments of 8 rows.
func (w *attending) score(rows codegen.Ptr) (s [4][4]codegen.F32) {
	k := w.k
	half := rows.Elem(w.half, 32*w.steps())
	for n := range s {
		s[n] = zeros4(k)
	}
	for i := 0; i < w.steps(); i += 2 {
		for n := range s {
			p := half.At(8*n*w.stride() + 32*i)
			if i+1 == w.steps() {
				s[n] = k.MmaF16(w.queries[i], rightKeysHalf(k, p, w.stride()), s[n])
				continue
			}
			x, y := rightKeys(k, p, w.stride())
			s[n] = k.MmaF16(w.queries[i], x, s[n])
			s[n] = k.MmaF16(w.queries[i+1], y, s[n])
		}
	}
	return s
}

// join adds what the other warp has for the half of the rows that this one weighs.
func (w *attending) join(s [4][4]codegen.F32) (own [2][4]codegen.F32) {
	k := w.k
	first := w.half.Eq(0)
	at := func(warp codegen.I32) codegen.Ptr {
		return w.memory.At(w.halvesAt()).Elem(warp, 32*32).Elem(k.Lane(), 16)
	}
	for n := range own {
		var theirs [4]codegen.F32
		for j := range 4 {
			own[n][j] = codegen.Select(first, s[n][j], s[n+2][j])
			theirs[j] = codegen.Select(first, s[n+2][j], s[n][j])
		}
		at(k.Warp()).At(n * 32 * 16).StF32x4(theirs)
	}
	w.pair()
	for n := range own {
		for j, x := range at(k.Warp().Xor(1)).At(n * 32 * 16).LdF32x4() {
			own[n][j] = own[n][j].Add(x)
		}
	}
	return own
}

// weigh turns the scores of 16 rows, left of which are in the list from the tile's first on,
// into weights relative to the largest score so far, which the two warps agree on.
func (w *attending) weigh(s [2][4]codegen.F32, left codegen.I32) {
	k := w.k
	g, four := k.Lane().Shr(2), k.Lane().And(3)
	for n := range s {
		row := w.half.Mul(16).Add(8 * n).Add(four.Mul(2))
		for j := range 4 {
			s[n][j] = codegen.Select(row.Add(j%2).Lt(left), s[n][j], k.F32(math.Inf(-1)))
		}
	}
	largest := func(warp codegen.I32, i int) codegen.Ptr {
		return w.memory.At(w.largestAt()).Elem(warp, 16*f32).Elem(g.Add(8*i), f32)
	}
	var own [2]codegen.F32
	for i := range 2 {
		own[i] = quadMax(s[0][2*i].Max(s[0][2*i+1]).Max(s[1][2*i].Max(s[1][2*i+1])))
		k.If(four.Eq(0), func() { largest(k.Warp(), i).StF32(own[i]) })
	}
	w.pair()
	var alpha [2]codegen.F32
	for i := range 2 {
		m := w.top[i].Get().Max(own[i]).Max(largest(k.Warp().Xor(1), i).LdF32())
		alpha[i] = w.top[i].Get().Sub(m).Ex2() // a tile has a row: m is a number
		w.top[i].Set(m)
		total := w.sum[i].Get().Mul(alpha[i])
		for n := range s {
			x, y := s[n][2*i].Sub(m).Ex2(), s[n][2*i+1].Sub(m).Ex2()
			total = total.Add(x).Add(y)
			row := w.memory.At(w.weightsAt()).Elem(w.group.Mul(16).Add(g).Add(8*i), weightStride)
			row.Elem(w.half, 32).At(16*n).Elem(four, 4).StH2(k.PackH2(x, y))
		}
		w.sum[i].Set(total)
	}
	k.If(k.Any(alpha[0].Lt(1).Or(alpha[1].Lt(1))), func() { w.acc.scaleRows(alpha) })
	w.pair()
}

// values adds weights times rows of the tile to this warp's half of the columns.
func (w *attending) values(rows codegen.Ptr) {
	k := w.k
	half := rows.Elem(w.half, w.rank) // rank/2 columns of two bytes
	for step := range attendTile / 16 {
		p := left(k, w.memory.At(w.weightsAt()+32*step).Elem(w.group, 16*weightStride), weightStride)
		for i := 0; i < len(w.acc); i += 2 {
			x, y := rightValues(k, half.At(16*step*w.stride()+16*i), w.stride())
			w.acc.set(i, k.MmaF16(p, x, w.acc.get(i)))
			w.acc.set(i+1, k.MmaF16(p, y, w.acc.get(i+1)))
		}
	}
}

// store divides by the sums of the weights, each half of which a warp has.
func (w *attending) store(t codegen.I32) {
	k := w.k
	g, four := k.Lane().Shr(2), k.Lane().And(3)
	at := func(warp codegen.I32, i int) codegen.Ptr {
		return w.memory.At(w.largestAt()).Elem(warp, 16*f32).Elem(g.Add(8*i), f32)
	}
	var own [2]codegen.F32
	for i := range 2 {
		own[i] = k.GroupSum(w.sum[i].Get(), 4)
		k.If(four.Eq(0), func() { at(k.Warp(), i).StF32(own[i]) })
	}
	var largest [2]codegen.F32
	if w.rounds {
		largest = w.largest()
	}
	w.pair()
	for i := range 2 {
		total := own[i].Add(at(k.Warp().Xor(1), i).LdF32())
		inverse := k.F32(1).Div(total)
		if w.rounds {
			w.storeHalf(t, i, inverse, largest[i].Max(w.largestOf(k.Warp().Xor(1), i).LdF32()))
			continue
		}
		head := w.head.Add(g).Add(8 * i)
		k.If(head.Lt(w.heads), func() {
			row := k.Arg(4).Elem(t.Mul(w.heads).Add(head.Min(w.heads-1)), w.rank*f32)
			columns := row.Elem(w.half, w.rank/2*f32).Elem(four, 2*f32)
			for j := range w.acc {
				x := w.acc.get(j)
				columns.At(8 * j * f32).StF32x2([2]codegen.F32{x[2*i].Mul(inverse), x[2*i+1].Mul(inverse)})
			}
		})
	}
}
