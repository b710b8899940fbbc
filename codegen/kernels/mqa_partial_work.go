package kernels

import (
	"math"

	"dsac/codegen"
)

// parting is a kernel of partial being emitted.
type parting struct {
	*partial
	k          *codegen.K
	memory     codegen.Ptr
	t          codegen.I32
	parts      codegen.I32
	first, end codegen.I32 // entries of the part
	tiles      codegen.I32 // of the part
	group      codegen.I32 // of heads that this warp scores for
	own        codegen.I32 // rows of a tile that it scores: first of
	share      codegen.I32 // of the elements
	queries    [][4]*codegen.Var[codegen.I32]
	acc        []accumulators              // by group of heads
	top, sum   []*codegen.Var[codegen.F32] // of the heads that this lane weighs for; sum: of its rows
}

func (p *partial) emit(k *codegen.K) {
	k.MinBlocks(1)
	k.GridHold()
	w := &parting{partial: p, k: k, memory: k.Dynamic(), t: k.BlockZ()}
	if !p.one {
		k.ReturnIf(w.t.Ge(k.Live()))
	}
	first := k.BlockY().Mul(p.blockHeads()) // head
	size := k.I32(p.size)
	w.parts, w.tiles = k.I32(p.parts), k.I32(p.tiles())
	if p.many() {
		w.parts = k.GridX()
		size = w.parts.Add(p.list - 1).UDiv(w.parts)
		w.tiles = size.Add(p.tile - 1).UDiv(p.tile)
	}
	w.first = k.BlockX().Mul(size)
	w.end = w.first.Add(size).Min(p.list)
	member := k.Warp().And(p.warps/p.groups - 1)
	w.group = k.Warp().UDiv(p.warps / p.groups)
	w.own = member.UDiv(p.shares).Mul(8 * p.groups)
	w.share = member.And(p.shares - 1)
	k.IfElse(k.Warp().Lt(p.warps), func() { w.work(first) }, w.feed)
}

// work is what the warps do that score and add up, all but the feeders.
func (w *parting) work(first codegen.I32) {
	k := w.k
	for range w.width() / 16 / w.shares {
		w.queries = append(w.queries, [4]*codegen.Var[codegen.I32](codegen.Lets(4, k.I32(0))))
	}
	for g := range w.groups {
		queries := w.fetch(k, w.t, first.Add(groupHeads*g), groupHeads, 32*w.warps)
		if g > 0 {
			w.meet() // the group before has been loaded
		}
		w.settle(k, w.memory.At(w.queriesAt()), queries)
		w.meet()
		k.If(w.group.Eq(g), w.loadQueries)
		w.acc = append(w.acc, newAccumulators(k, w.rank/8/w.warps))
	}
	rounds := w.headsPerWarp() / w.headsAtOnce()
	w.top, w.sum = codegen.Lets(rounds, k.F32(math.Inf(-1))), codegen.Lets(rounds, k.F32(0))
	if w.many() {
		k.For(0, w.tiles, 1, func(i codegen.I32) {
			keys := w.keys(i.And(1))
			k.IfElse(i.Eq(0), func() { w.arrived(0) }, w.everyone)
			w.score(keys, 0)
			w.meet()
			w.weigh(i.And(1))
			w.meet()
			w.rescale()
			w.values(i.And(1), 0)
		})
	} else {
		for i := range w.buffers() {
			keys := w.keys(k.I32(i))
			w.arrived(i)
			w.score(keys, i)
		}
		w.meet()
		w.weigh(k.I32(0))
		w.meet()
		for i := range w.buffers() {
			w.values(k.I32(i), i)
		}
	}
	w.close(first)
	w.meet()
	k.GridLaunch() // no earlier: what follows would crowd onto multiprocessors without such blocks
	w.store(first)
}

// Barriers besides that of the block.
const (
	barrierOrder   = 1 // of the feeders: the first tile has been asked for
	barrierWorkers = 2
	barrierArrived = 3 // and the next: a tile is there, for the workers and its feeders
	barrierRound   = 5 // of all warps
)

// meet waits for the warps that work.
func (w *parting) meet() { w.k.SyncPart(barrierWorkers, 32*w.warps) }

// everyone waits for all warps of the block.
func (w *parting) everyone() { w.k.Meet(barrierRound, w.threads()) }

// arrived waits for one of the first two tiles.
func (w *parting) arrived(tile int) { w.k.Meet(barrierArrived+tile, 32*(w.warps+feeders)) }
