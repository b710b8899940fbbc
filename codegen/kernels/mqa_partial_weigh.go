package kernels

import (
	"math"

	"dsac/codegen"
)

// weighing says what a lane does when scores become weights: it has two rows, of a head in each
// round.
type weighing struct {
	lanes  int          // with rows of the same head
	pair   codegen.I32  // of rows
	head   codegen.I32  // of the block, in the first round
	own    codegen.Pred // no other lane has the same
	leader codegen.Pred // of the lanes with a head
}

// weighing finds out anew what the lane does: registers to keep it in are few.
func (w *parting) weighing() (g weighing) {
	thread := w.k.Thread().Here()
	lane, warp := thread.And(31), thread.Shr(5)
	g.lanes = w.together() / 2
	g.pair = lane.And(g.lanes - 1)
	g.head = warp.Mul(w.headsPerWarp()).Add(lane.UDiv(g.lanes).Min(w.headsAtOnce() - 1))
	g.own = lane.Lt(g.lanes * w.headsAtOnce())
	g.leader = g.pair.Eq(0).And(g.own)
	return g
}

// weigh turns the scores of the tiles from that in a buffer on into weights relative to the largest
// score so far. Rows where the list has ended weigh nothing.
func (w *parting) weigh(buffer codegen.I32) {
	k, g := w.k, w.weighing()
	entry := w.memory.At(w.entriesAt()).Elem(buffer, w.tile*4).Elem(g.pair, 8).LdI32x2()
	for r := range w.sum {
		head := g.head.Add(r * w.headsAtOnce())
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
		if w.headsAtOnce() == 1 {
			top = largest(top)
		} else {
			for d := g.lanes / 2; d > 0; d /= 2 {
				top = top.Max(codegen.ShflXor(top, d))
			}
		}
		if w.many() {
			top = top.Max(w.top[r].Get())
		}
		base := codegen.Select(top.Eq(math.Inf(-1)), k.F32(0), top)
		x, y := s[0].Sub(base).Ex2(), s[1].Sub(base).Ex2()
		to := w.memory.At(w.weightsAt()).Elem(head, w.weightStride()).Elem(g.pair, 4)
		to.When(g.own).StH2(k.PackH2(x, y))
		sum := x.Add(y)
		if w.many() {
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

// inverseOf is where the inverse of the sum of weights of a head of the block lies.
func (w *parting) inverseOf(head codegen.I32) codegen.Ptr {
	return w.memory.At(w.scalesAt()+w.blockHeads()*f32).Elem(head, f32)
}

// close writes the largest scores and the sums of weights, and leaves the inverses of the sums
// for all warps.
func (w *parting) close(first codegen.I32) {
	k, g := w.k, w.weighing()
	for r := range w.sum {
		own := g.head.Add(r * w.headsAtOnce())
		head := first.Add(own)
		sum := k.GroupSum(w.sum[r].Get(), g.lanes)
		w.inverseOf(own).When(g.leader).StF32(codegen.Select(sum.Eq(0), k.F32(0), sum.Rcp()))
		w.headRow(5, head, 2*f32).When(g.leader.And(w.exists(head))).StF32x2([2]codegen.F32{w.top[r].Get().Mul(math.Ln2), sum})
	}
}
