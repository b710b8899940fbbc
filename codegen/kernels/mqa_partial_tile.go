package kernels

import (
	"math"

	"dsac/codegen"
)

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

// score multiplies a share of the queries with that of this warp's rows in a buffer, eight for
// each group of heads in the block, and leaves the sums in shared memory.
func (w *parting) score(buffer codegen.I32) {
	k := w.k
	steps := len(w.queries)
	from := w.memory.Elem(buffer, w.tileBytes()).Elem(w.own, w.stride()).Elem(w.share, 32*steps)
	to := w.memory.At(w.queriesAt()).Elem(w.share, w.shareBytes()).Elem(w.group, groupHeads*w.scoreStride())
	to = to.Elem(k.Lane().Shr(2), w.scoreStride()).Elem(w.own, f32).Elem(k.Lane().And(3), 2*f32)
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
			if b+1 == steps {
				multiply(b, rightKeysHalf(k, rows, w.stride()))
				continue
			}
			x, y := rightKeys(k, rows, w.stride())
			multiply(b, x)
			multiply(b+1, y)
		}
		for r := range 2 {
			to.At(8*r*w.scoreStride() + 8*n*f32).StF32x2([2]codegen.F32{
				sums[0][2*r].Add(sums[1][2*r]), sums[0][2*r+1].Add(sums[1][2*r+1]),
			})
		}
	}
}

// weighing says what a lane does when scores become weights: it has two rows of a tile, and as
// many heads, one after the other, as there are rounds.
type weighing struct {
	lanes  int          // with rows of the same head
	rounds int          // of heads
	heads  int          // that the warp has at once
	pair   codegen.I32  // of rows
	first  codegen.I32  // head of the block
	own    codegen.Pred // what no other lane has
	leader codegen.Pred
}

// weighing finds out anew what the lane does: registers to keep it in are few.
func (w *parting) weighing() (g weighing) {
	thread := w.k.Thread().Here()
	lane, warp := thread.And(31), thread.Shr(5)
	g.lanes = w.tile / 2
	g.heads = min(32/g.lanes, w.headsPerWarp())
	g.rounds = w.headsPerWarp() / g.heads
	g.pair = lane.And(g.lanes - 1)
	g.first = warp.Mul(w.headsPerWarp()).Add(lane.UDiv(g.lanes).Min(g.heads - 1))
	g.own = lane.Lt(g.lanes * g.heads)
	g.leader = g.pair.Eq(0).And(g.own)
	return g
}

// weigh turns the scores of the tile in a buffer into weights relative to the largest score so
// far. Rows where the list has ended weigh nothing.
func (w *parting) weigh(buffer codegen.I32, first bool) {
	k, g := w.k, w.weighing()
	entry := w.memory.At(w.entriesAt()).Elem(buffer, w.tile*4).Elem(g.pair, 8).LdI32x2()
	for r := range g.rounds {
		head := g.first.Add(r * g.heads)
		from := w.memory.At(w.queriesAt()).Elem(head, w.scoreStride()).Elem(g.pair, 2*f32)
		s := from.LdF32x2()
		for share := 1; share < w.shares; share++ {
			x := from.At(share * w.shareBytes()).LdF32x2()
			s[0], s[1] = s[0].Add(x[0]), s[1].Add(x[1])
		}
		for j := range s {
			s[j] = codegen.Select(entry[j].Ge(0), s[j], k.F32(math.Inf(-1)))
		}
		top := s[0].Max(s[1])
		if g.heads == 1 {
			top = largest(top)
		} else {
			for d := g.lanes / 2; d > 0; d /= 2 {
				top = top.Max(codegen.ShflXor(top, d))
			}
		}
		if !first {
			top = top.Max(w.top[r].Get())
		}
		base := codegen.Select(top.Eq(math.Inf(-1)), k.F32(0), top)
		x, y := s[0].Sub(base).Ex2(), s[1].Sub(base).Ex2()
		to := w.memory.At(w.weightsAt()).Elem(head, w.weightStride()).Elem(g.pair, 4)
		to.When(g.own).StH2(k.PackH2(x, y))
		sum := x.Add(y)
		if !first {
			scale := w.top[r].Get().Sub(base).Ex2()
			w.memory.At(w.scalesAt()).Elem(head, f32).When(g.leader).StF32(scale)
			sum = w.sum[r].Get().Mul(scale).Add(sum)
		}
		w.top[r].Set(top)
		w.sum[r].Set(sum)
	}
}

// largest is the largest x of the warp, by one instruction on integers of the same order.
func largest(x codegen.F32) codegen.F32 {
	ordered := func(b codegen.I32) codegen.I32 { return b.Xor(b.Sar(31).And(0x7fffffff)) }
	k := codegen.KernelOf(x.Bits())
	return ordered(k.WarpMaxU32(ordered(x.Bits()).Xor(1 << 31)).Xor(1 << 31)).AsF32()
}

// rescale makes what was added up before relative to the largest score so far.
func (w *parting) rescale() {
	for g, acc := range w.acc {
		at := w.memory.At(w.scalesAt()+groupHeads*g*f32).Elem(w.k.Lane().Shr(2), f32)
		acc.scaleRows([2]codegen.F32{at.LdF32(), at.At(8 * f32).LdF32()})
	}
}

// values adds weights times rows of the tile in a buffer to this warp's columns.
func (w *parting) values(buffer codegen.I32) {
	k := w.k
	n := len(w.acc[0])
	columns := w.memory.Elem(buffer, w.tileBytes()).Elem(k.Warp(), 8*2*n)
	for step := range w.tile / 16 {
		var weights [][4]codegen.I32
		for g := range w.groups {
			weights = append(weights, left(k, w.memory.At(w.weightsAt()+groupHeads*g*w.weightStride()+32*step), w.weightStride()))
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

// inverseOf is where the inverse of the sum of weights of a head of the block lies.
func (w *parting) inverseOf(head codegen.I32) codegen.Ptr {
	return w.memory.At(w.scalesAt()+w.blockHeads()*f32).Elem(head, f32)
}

// close writes the largest scores and the sums of weights, and leaves the inverses of the sums
// for all warps.
func (w *parting) close(first codegen.I32) {
	k, g := w.k, w.weighing()
	for r := range g.rounds {
		own := g.first.Add(r * g.heads)
		head := first.Add(own)
		sum := k.GroupSum(w.sum[r].Get(), g.lanes)
		w.inverseOf(own).When(g.leader).StF32(codegen.Select(sum.Eq(0), k.F32(0), sum.Rcp()))
		w.headRow(5, head, 2*f32).When(g.leader.And(w.exists(head))).StF32x2([2]codegen.F32{w.top[r].Get().Mul(math.Ln2), sum})
	}
}

// store writes rows lane/4 and lane/4+8 of each group and this warp's columns. Neighbouring lanes
// exchange halves first, so that each writes four columns at a time.
func (w *parting) store(first codegen.I32) {
	k := w.k
	odd := k.Lane().And(1).Ne(0)
	for g, acc := range w.acc {
		for i := range 2 {
			row := k.Lane().Shr(2).Add(groupHeads*g + 8*i)
			head, by := first.Add(row), w.inverseOf(row).LdF32()
			to := w.headRow(4, head, 2*w.rank).Elem(k.Warp(), 8*2*len(acc)).Elem(odd.I32(), 8*2).Elem(k.Lane().Shr(1).And(1), 4*2)
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
