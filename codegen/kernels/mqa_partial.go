package kernels

import (
	"math"

	"dsac/codegen"
)

// partial is attention of 16 heads over one part of a list, by a block: blocks (part, heads,
// query row). All time goes into waiting, so that the block is large and each step short: two
// tiles of rows are asked for at once, and one is worked on while the next arrives. Warps that
// share its rows and their elements score it; a warp per head turns scores into weights; and
// every warp adds up its share of the value's columns.
//
//	shared memory:  a tile | another | queries, later scores by share of elements | weights | scales | entries
//
// Where parts have more than two tiles, their number and length come from the grid: so all lists
// cut into few parts share a kernel.
type partial struct {
	mqa
	parts, size int // size: entries of a part
	warps       int
	shares      int  // of the elements of a row: warps that score the same rows
	tile        int  // rows at a time
	one         bool // there is one row, always live
}

const partHeads = 16 // rows of a product

func mqaPartial(s *codegen.Spec) (Kernel, error) {
	a, err := newMqa(s)
	if err != nil {
		return Kernel{}, err
	}
	p := partial{mqa: a, parts: s.Int("splits"), one: s.Rows == 1}
	p.size = ceilDiv(a.list, p.parts)
	p.divide()
	launch := codegen.Line(p.parts, 32*p.warps)
	launch.Grid[1], launch.Grid[2] = uint32(ceilDiv(a.heads, partHeads)), uint32(s.Rows)
	launch.Shared = uint32(p.entriesAt() + 2*p.tile*4)
	return Kernel{Launch: launch, Emit: p.emit}, fits(s, int(launch.Shared))
}

// divide chooses as many warps as can have the same work.
func (p *partial) divide() {
	for _, d := range []struct{ tile, shares int }{{32, 4}, {32, 2}, {32, 1}, {16, 1}} {
		p.tile, p.shares, p.warps = d.tile, d.shares, d.tile/8*d.shares
		if p.rank%(16*p.warps) == 0 && p.width()/16%p.shares == 0 {
			return
		}
	}
}

func (p *partial) tileBytes() int { return p.tile * p.stride() }
func (p *partial) queriesAt() int { return p.buffers() * p.tileBytes() }
func (p *partial) weightsAt() int {
	return p.queriesAt() + partHeads*max(p.stride(), p.shares*p.scoreStride())
}
func (p *partial) scalesAt() int  { return p.weightsAt() + partHeads*p.weightStride() }
func (p *partial) entriesAt() int { return p.scalesAt() + partHeads*f32 }

// scoreStride is the distance of rows of scores in shared memory, in bytes: 8 past a multiple of
// 32 words, so that rows lie in different banks.
func (p *partial) scoreStride() int { return (p.tile + 8) * f32 }

// weightStride is the distance of rows of weights, which are f16: an odd multiple of 16 bytes.
func (p *partial) weightStride() int { return 2*p.tile + 16 }

// tiles is the number of tiles of a part, buffers of those that there is room for.
func (p *partial) tiles() int   { return ceilDiv(p.size, p.tile) }
func (p *partial) buffers() int { return min(2, p.tiles()) }

// many says whether parts have more tiles than are asked for at once.
func (p *partial) many() bool { return p.tiles() > 2 }

// perWarp is the number of rows of a tile that a warp copies, headsPerWarp of heads that it
// weighs for.
func (p *partial) perWarp() int      { return p.tile / p.warps }
func (p *partial) headsPerWarp() int { return partHeads / p.warps }

// parting is a kernel of partial being emitted.
type parting struct {
	*partial
	k          *codegen.K
	memory     codegen.Ptr
	t          codegen.I32
	parts      codegen.I32
	first, end codegen.I32 // entries of the part
	tiles      codegen.I32 // of the part
	own        codegen.I32 // rows of a tile that this warp scores: first of
	share      codegen.I32 // of the elements
	queries    [][4]codegen.I32
	acc        accumulators
	top, sum   []*codegen.Var[codegen.F32] // of the heads that this warp weighs for; sum: of this lane's rows
}

func (p *partial) emit(k *codegen.K) {
	k.MinBlocks(1)
	w := &parting{partial: p, k: k, memory: k.Dynamic(), t: k.BlockZ()}
	if !p.one {
		k.ReturnIf(w.t.Ge(k.Live()))
	}
	group := k.BlockY().Mul(partHeads)
	size := k.I32(p.size)
	w.parts, w.tiles = k.I32(p.parts), k.I32(p.tiles())
	if p.many() {
		w.parts = k.GridX()
		size = w.parts.Add(p.list - 1).UDiv(w.parts)
		w.tiles = size.Add(p.tile - 1).UDiv(p.tile)
	}
	w.first = k.BlockX().Mul(size)
	w.end = w.first.Add(size).Min(p.list)
	w.own = k.Warp().UDiv(p.shares).Mul(8)
	w.share = k.Warp().And(p.shares - 1)

	var mine []codegen.I32
	for i := range p.buffers() {
		mine = append(mine, w.entriesOf(k.I32(i)))
	}
	next := k.I32(-1)
	if p.many() {
		next = w.entriesOf(k.I32(2))
	}
	queries := p.fetch(k, w.t, group, partHeads, 32*p.warps)
	for i := range mine {
		w.copyTile(k.I32(i), mine[i])
	}
	p.settle(k, w.memory.At(p.queriesAt()), queries)
	k.Sync()
	w.loadQueries()

	w.acc = newAccumulators(k, p.rank/8/p.warps)
	w.top, w.sum = codegen.Lets(p.headsPerWarp(), k.F32(math.Inf(-1))), codegen.Lets(p.headsPerWarp(), k.F32(0))
	if p.many() {
		w.loop(next)
	} else {
		for i := range p.tiles() {
			k.CopyWait(p.tiles() - 1 - i)
			k.Sync()
			w.round(k.I32(i), i == 0)
		}
	}
	w.store(group)
}

// entriesOf loads the entries of a tile whose rows this warp copies.
func (w *parting) entriesOf(tile codegen.I32) codegen.I32 {
	return w.entries(w.k, w.t, w.first.Add(tile.Mul(w.tile)), w.end, w.perWarp())
}

// copyTile starts copying this warp's rows of a tile, and leaves their entries where those who
// weigh them look.
func (w *parting) copyTile(buffer, mine codegen.I32) {
	k := w.k
	w.copyRows(k, w.memory.Elem(buffer, w.tileBytes()), mine, w.perWarp())
	k.CopyCommit()
	place := w.memory.At(w.entriesAt()).Elem(buffer, w.tile*4).Elem(k.Warp().Mul(w.perWarp()).Add(k.Lane()), 4)
	place.When(k.Lane().Lt(w.perWarp())).StI32(mine)
}

// loop goes over the tiles. The first two are under way; next are the entries of the third.
func (w *parting) loop(next codegen.I32) {
	k := w.k
	mine := codegen.Let(next)
	k.For(0, w.tiles, 1, func(i codegen.I32) {
		k.IfElse(i.Eq(0), func() { k.CopyWait(1) }, func() { k.CopyWait(0) })
		k.Sync() // this tile is there, and nobody reads the one before
		now := i.And(1)
		k.If(i.Gt(0).And(i.Lt(w.tiles.Sub(1))), func() {
			w.copyTile(now.Xor(1), mine.Get())
			mine.Set(w.entriesOf(i.Add(2)))
		})
		w.round(now, false)
	})
}

// round works on the tile in a buffer, which is there for all warps.
func (w *parting) round(buffer codegen.I32, first bool) {
	w.score(buffer)
	w.k.Sync()
	w.weigh(buffer, first)
	w.k.Sync()
	if !first {
		w.rescale()
	}
	w.values(buffer)
}
