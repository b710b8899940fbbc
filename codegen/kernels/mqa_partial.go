package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/ir/ops"
)

// partial is attention of 16 or 32 heads over one part of a list, by a block: blocks (part, heads,
// query row). Rows come in tiles, one of which is worked on while the next arrives. Warps of
// their own ask for them: who asks must wait until the memory takes no more, and would not work
// meanwhile. Of the others, those that share the rows of a tile and their elements score it; a
// warp per head turns scores into weights; and every warp adds up its share of the value's
// columns.
//
//	shared memory:  a tile | another | queries, later scores by share of elements | weights | factors, twice | entries
//
// For one row a part has as few rows as keep the device busy with 16 heads to a block, and is
// over after two tiles. With more rows there are blocks enough for 32 heads to share what a
// block gathers, which halves what comes out of the L2; number and length of parts come from the
// grid there, so that all numbers of rows share a kernel.
type partial struct {
	mqa
	parts, size int // size: entries of a part
	warps       int  // that score and add up
	feeders     int  // warps that fill a buffer
	shares      int  // of the elements of a row: warps that score the same rows
	tile        int  // rows at a time
	groups      int  // of 16 heads in a block
	one         bool // there is one row, always live
}

const groupHeads = 16 // rows of a product

func mqaPartial(s *codegen.Spec) (Kernel, error) {
	a, err := newMqa(s)
	if err != nil {
		return Kernel{}, err
	}
	p := partial{mqa: a, parts: s.Int("splits"), one: s.Rows == 1, groups: ops.PartHeads(s.Rows, a.heads) / groupHeads}
	p.size = ceilDiv(a.list, p.parts)
	p.divide()
	launch := codegen.Line(p.parts, p.threads())
	launch.Grid[1], launch.Grid[2] = uint32(ceilDiv(a.heads, p.blockHeads())), uint32(s.Rows)
	launch.Shared = uint32(p.entriesAt() + 2*p.tile*4)
	return Kernel{Launch: launch, Emit: p.emit}, fits(s, int(launch.Shared))
}

// divide chooses as many warps as can have the same work.
func (p *partial) divide() {
	for _, d := range []struct{ tile, shares int }{{32, 4}, {32, 2}, {32, 1}, {16, 1}} {
		p.tile, p.shares, p.warps = d.tile, d.shares, d.tile/8*d.shares
		if p.rank%(16*p.warps) == 0 && p.width()/16%p.shares == 0 {
			break
		}
	}
	p.feeders = 1
	if p.one { // nothing hides how long they take; with more rows registers are few
		p.feeders = 2
	}
}

// blockHeads is the heads of a block.
func (p *partial) blockHeads() int { return groupHeads * p.groups }

func (p *partial) tileBytes() int { return p.tile * p.stride() }
func (p *partial) queriesAt() int { return p.buffers() * p.tileBytes() }
func (p *partial) weightsAt() int {
	return p.queriesAt() + max(groupHeads*p.stride(), p.shares*p.shareBytes())
}
func (p *partial) scalesAt() int  { return p.weightsAt() + p.blockHeads()*p.weightStride() }
func (p *partial) entriesAt() int { return p.scalesAt() + p.blockHeads()*2*f32 }

// scoreStride is the distance of rows of scores in shared memory, in bytes: 8 past a multiple of
// 32 words, so that rows lie in different banks.
func (p *partial) scoreStride() int { return (p.tile + 8) * f32 }

// shareBytes is the size of the sums over a share of the elements.
func (p *partial) shareBytes() int { return p.blockHeads() * p.scoreStride() }

// weightStride is the distance of rows of weights, which are f16: an odd multiple of 16 bytes.
func (p *partial) weightStride() int { return 2*p.tile + 16 }

// tiles is the number of tiles of a part, buffers of those that there is room for.
func (p *partial) tiles() int { return ceilDiv(p.size, p.tile) }
func (p *partial) buffers() int {
	if p.many() {
		return 2
	}
	return p.tiles()
}

// many says whether parts may have any number of tiles.
func (p *partial) many() bool { return !p.one || p.tiles() > 2 }

// threads are those of the workers and of the feeders of each buffer.
func (p *partial) threads() int { return 32 * (p.warps + p.feeders*p.buffers()) }

// headsPerWarp is the number of heads that a warp weighs for.
func (p *partial) headsPerWarp() int { return p.blockHeads() / p.warps }

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
	rounds := max(1, w.headsPerWarp()*w.tile/64)
	w.top, w.sum = codegen.Lets(rounds, k.F32(math.Inf(-1))), codegen.Lets(rounds, k.F32(0))
	if w.many() {
		k.For(0, w.tiles, 1, func(i codegen.I32) {
			k.IfElse(i.Eq(0), func() { w.arrived(0) }, k.Sync)
			w.round(i.And(1), false)
		})
	} else {
		for i := range w.buffers() {
			w.arrived(i)
			w.round(k.I32(i), i == 0)
		}
	}
	w.close(first)
	w.meet()
	k.GridLaunch() // no earlier: what follows would crowd onto multiprocessors without such blocks
	w.store(first)
}

// round works on the tile in a buffer, which is there for all warps.
func (w *parting) round(buffer codegen.I32, first bool) {
	w.score(buffer)
	w.meet()
	w.weigh(buffer, first)
	w.meet()
	if !first {
		w.rescale()
	}
	w.values(buffer)
}

// Barriers besides that of the block.
const (
	barrierOrder   = 1 // of the feeders: the first tile has been asked for
	barrierWorkers = 2
	barrierArrived = 3 // and the next: a tile is there, for the workers and its feeders
)

// meet waits for the warps that work.
func (w *parting) meet() { w.k.SyncPart(barrierWorkers, 32*w.warps) }

// arrived waits for one of the first two tiles.
func (w *parting) arrived(tile int) { w.k.SyncPart(barrierArrived+tile, 32*(w.warps+w.feeders)) }
