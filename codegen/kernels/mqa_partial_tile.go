package kernels

import "dsac/codegen"

// loadQueries loads this warp's share of the queries of its group of heads as left sides of
// products.
func (w *parting) loadQueries() {
	from := w.memory.At(w.queriesAt()).Elem(w.share, 32*len(w.queries))
	for b, q := range w.queries {
		for j, x := range left(w.k, from.At(32*b), w.stride()) {
			q[j].Set(x)
		}
	}
}

// keys is where the first keys lie that this lane loads of its warp's rows in a buffer, in bytes.
// That is found out before the tile is there.
func (w *parting) keys(buffer codegen.I32) codegen.I32 {
	lane := w.k.Lane()
	row := w.own.Add(lane.And(7)).Mul(w.stride())
	return buffer.Mul(w.tileBytes()).Add(row).Add(w.share.Mul(32 * len(w.queries))).Add(lane.Shr(3).Mul(16)).Here()
}

// score multiplies a share of the queries with that of this warp's rows, whose keys lie there, eight
// for each group of heads in the block, and leaves the sums in shared memory, as tile number i of
// those that are weighed together.
func (w *parting) score(keys codegen.I32, i int) {
	k := w.k
	steps := len(w.queries)
	from := w.memory.Elem(keys, 1)
	to := w.memory.At(w.queriesAt()).Elem(w.share, w.shareBytes()).Elem(w.group, groupHeads*w.scoreStride())
	to = to.Elem(k.Lane().Shr(2), w.scoreStride()).Elem(w.own, f32).At(i*w.tile*f32).Elem(k.Lane().And(3), 2*f32)
	for n := range w.groups {
		sums := [2][4]codegen.F32{zeros4(k), zeros4(k)} // independent of each other
		multiply := func(step int, key [2]codegen.I32) {
			var query [4]codegen.I32
			for j, v := range w.queries[step] {
				query[j] = v.Get()
			}
			sums[step%2] = k.MmaF16(query, key, sums[step%2])
		}
		for b := 0; b < steps; b += 2 {
			rows := from.At(8*n*w.stride() + 32*b)
			x := k.LdMatrix(rows, 2*min(2, steps-b), false)
			multiply(b, [2]codegen.I32(x[:2]))
			if b+1 < steps {
				multiply(b+1, [2]codegen.I32(x[2:]))
			}
		}
		for r := range 2 {
			to.At(8*r*w.scoreStride() + 8*n*f32).StF32x2([2]codegen.F32{
				sums[0][2*r].Add(sums[1][2*r]), sums[0][2*r+1].Add(sums[1][2*r+1]),
			})
		}
	}
}

// rescale makes what was added up before relative to the largest score so far.
func (w *parting) rescale() {
	for g, acc := range w.acc {
		at := w.memory.At(w.scalesAt()+groupHeads*g*f32).Elem(w.k.Lane().Shr(2), f32)
		acc.scaleRows([2]codegen.F32{at.LdF32(), at.At(8 * f32).LdF32()})
	}
}

// values adds weights times rows of the tile in a buffer to this warp's columns: tile number i of
// those that were weighed together.
func (w *parting) values(buffer codegen.I32, i int) {
	k := w.k
	n := len(w.acc[0])
	columns := w.memory.Elem(buffer, w.tileBytes()).Elem(k.Warp(), 8*2*n)
	for step := range w.tile / 16 {
		var weights [][4]codegen.I32
		for g := range w.groups {
			weights = append(weights, left(k, w.memory.At(w.weightsAt()+groupHeads*g*w.weightStride()+2*i*w.tile+32*step), w.weightStride()))
		}
		for c := 0; c < n; c += 2 {
			x, y := rightValues(k, columns.At(16*step*w.stride()+16*c), w.stride())
			for g, acc := range w.acc {
				acc.set(c, k.MmaF16(weights[g], x, acc.get(c)))
				acc.set(c+1, k.MmaF16(weights[g], y, acc.get(c+1)))
			}
		}
	}
}

// quadMax is the largest x of four neighbouring lanes.
func quadMax(x codegen.F32) codegen.F32 {
	x = x.Max(codegen.ShflXor(x, 1))
	return x.Max(codegen.ShflXor(x, 2))
}

// headRow returns row head of the heads of this block's part, in an operand with rows of so many
// bytes.
func (w *parting) headRow(arg int, head codegen.I32, bytes int) codegen.Ptr {
	part := w.t.Mul(w.parts).Add(w.k.BlockX())
	return w.k.Arg(arg).Elem(part.Mul(w.heads).Add(head.Min(w.heads-1)), bytes)
}

// exists says whether there is a head.
func (w *parting) exists(head codegen.I32) codegen.Pred {
	if w.heads%w.blockHeads() == 0 {
		return w.k.Bool(true)
	}
	return head.Lt(w.heads)
}

// store writes rows lane/4 and lane/4+8 of each group and this warp's columns. Neighbouring lanes
// exchange halves first, so that each writes four columns at a time.
func (w *parting) store(first codegen.I32) {
	k := w.k
	thread := k.Thread().Here() // found out anew, as registers to keep it in are few
	lane, warp := thread.And(31), thread.Shr(5)
	odd := lane.And(1).Ne(0)
	for g, acc := range w.acc {
		for i := range 2 {
			row := lane.Shr(2).Add(groupHeads*g + 8*i)
			head, by := first.Add(row), w.inverseOf(row).LdF32()
			to := w.headRow(4, head, 2*w.rank).Elem(warp, 8*2*len(acc)).Elem(odd.I32(), 8*2).Elem(lane.Shr(1).And(1), 4*2)
			for j := 0; j < len(acc); j += 2 {
				x, y := acc.get(j), acc.get(j+1)
				four := exchange(odd, [2]codegen.F32{x[2*i], x[2*i+1]}, [2]codegen.F32{y[2*i], y[2*i+1]})
				to.At(8 * 2 * j).When(w.exists(head)).StI32x2([2]codegen.I32{
					k.PackH2(four[0].Mul(by), four[1].Mul(by)).Bits(), k.PackH2(four[2].Mul(by), four[3].Mul(by)).Bits(),
				})
			}
		}
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
