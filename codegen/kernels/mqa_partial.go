package kernels

import (
	"math"

	"dsac/codegen"
)

// partial is attention of 16 heads over one part of a list, by a block: blocks (part, heads,
// query row). Rows come in tiles, one ahead of the one that is worked on. A pair of warps scores
// 8 (or 16) rows of a tile, each warp one half of their elements, with the queries in registers;
// then every warp works out the weights of the whole tile, and adds up its share of the value's
// columns.
//
//	shared memory:  a tile | another | queries | scores of a tile, by half
//
// Where parts have many tiles, their number and length come from the grid: so all lists cut into
// few parts share a kernel.
type partial struct {
	mqa
	parts, size int // size: entries of a part
	warps       int
	eights      int  // runs of 8 rows that a pair of warps scores
	tile        int  // rows at a time
	one         bool // there is one row, always live
}

const partHeads = 16 // rows of a product

func mqaPartial(s *codegen.Spec) (Kernel, error) {
	a, err := newMqa(s)
	if err != nil {
		return Kernel{}, err
	}
	p := partial{mqa: a, parts: s.Int("splits"), warps: 8, one: s.Rows == 1}
	for a.rank/16%p.warps != 0 { // each warp has as many columns
		p.warps /= 2
	}
	p.size = ceilDiv(a.list, p.parts)
	p.eights = max(1, 4/p.warps) // 16 rows at least: the inner dimension of a product
	p.tile = 8 * p.eights * p.warps / 2
	launch := codegen.Line(p.parts, 32*p.warps)
	launch.Grid[1], launch.Grid[2] = uint32(ceilDiv(a.heads, partHeads)), uint32(s.Rows)
	launch.Shared = uint32(p.scoresAt() + 2*p.halfBytes())
	return Kernel{Launch: launch, Emit: p.emit}, fits(s, int(launch.Shared))
}

func (p *partial) tileBytes() int { return p.tile * p.stride() }
func (p *partial) queriesAt() int { return 2 * p.tileBytes() }
func (p *partial) scoresAt() int  { return p.queriesAt() + partHeads*p.stride() }
func (p *partial) halfBytes() int { return partHeads * p.scoreStride() }

// scoreStride is the distance of rows of scores in shared memory, in bytes: 8 past a multiple of
// 32 words, so that rows lie in different banks.
func (p *partial) scoreStride() int { return (p.tile + 8) * f32 }

// tiles is the number of tiles of a part.
func (p *partial) tiles() int { return ceilDiv(p.size, p.tile) }

// many says whether parts have more tiles than two, which are under way before any is used.
func (p *partial) many() bool { return p.tiles() > 2 }

// perWarp is the number of rows of a tile that a warp copies.
func (p *partial) perWarp() int { return p.tile / p.warps }

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
	half       codegen.I32 // of the elements
	queries    [][4]codegen.I32
	acc        accumulators
	top, sum   []*codegen.Var[codegen.F32] // rows lane/4 and lane/4+8; sum: of this lane's columns
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
	w.own = k.Warp().Shr(1).Mul(8 * p.eights)
	w.half = k.Warp().And(1)

	ahead := min(2, p.tiles())
	mine := make([]codegen.I32, ahead+1) // of which the last is used in the loop
	for i := range mine {
		mine[i] = w.entriesOf(k.I32(i))
	}
	queries := p.fetch(k, w.t, group, partHeads, 32*p.warps)
	for i := range ahead {
		p.copyRows(k, w.memory.At(i*p.tileBytes()), mine[i], p.perWarp())
		k.CopyCommit()
	}
	p.settle(k, w.memory.At(p.queriesAt()), queries)
	k.Sync()
	w.loadQueries()

	w.acc = newAccumulators(k, p.rank/8/p.warps)
	w.top, w.sum = codegen.Lets(2, k.F32(math.Inf(-1))), codegen.Lets(2, k.F32(0))
	w.loop(mine[ahead])
	w.store(group)
}

// entriesOf loads the entries of a tile whose rows this warp copies.
func (w *parting) entriesOf(tile codegen.I32) codegen.I32 {
	return w.entries(w.k, w.t, w.first.Add(tile.Mul(w.tile)), w.end, w.perWarp())
}

// loop goes over the tiles. The first two are under way; next are the entries of the third.
func (w *parting) loop(next codegen.I32) {
	k := w.k
	now, other := codegen.Let(k.I32(0)), codegen.Let(k.I32(w.tileBytes()))
	mine := codegen.Let(next)
	k.For(0, w.tiles, 1, func(i codegen.I32) {
		seen := w.seen(i)
		if w.partial.tiles() > 1 {
			k.IfElse(i.Eq(0), func() { k.CopyWait(1) }, func() { k.CopyWait(0) })
		} else {
			k.CopyWait(0)
		}
		k.Sync() // this tile is there, and nobody reads the one before
		if w.many() {
			k.If(i.Gt(0).And(i.Lt(w.tiles.Sub(1))), func() {
				w.copyRows(k, w.memory.At(other.Get()), mine.Get(), w.perWarp())
				k.CopyCommit()
				mine.Set(w.entriesOf(i.Add(2)))
			})
		}
		rows := w.memory.At(now.Get())
		w.score(rows, seen)
		k.Sync()
		w.values(rows, w.weigh())
		at := now.Get()
		now.Set(other.Get())
		other.Set(at)
	})
}
