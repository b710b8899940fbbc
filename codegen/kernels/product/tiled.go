package product

import (
	"dsac/codegen"
	"dsac/runtime/plan"
)

// tiled is the kernel for many rows: tiles of weight rows by rows of x, limited by the tensor
// cores.
//
//	            slots rows of x
//	           +---------------+
//	outs/block | warp 0        |  a warp has per tiles of 16 weight rows (of each weight) and
//	           | warp 1        |  all the rows of x
//	           +---------------+
//
// Weights never pass through shared memory: a warp turns its own into f16 in registers, once for
// all the rows of x. x, which half_rows has rounded, goes through shared memory (feed), the next
// stages on their way while one is multiplied. Where there are few tiles, split groups of warps
// share the columns of a block: each takes every split-th unit, and their sums are added up in
// order at the end.
type tiled struct {
	*job
	tileShape
}

// tileShape is how a block divides its work.
type tileShape struct {
	slots int // rows of x of a block, a multiple of 8
	per   int // tiles of each weight that a warp has
	warps int
	split int // groups of warps that share the columns
	guard int // groups of eight rows of x that are left out together where they are not there
	bufs  int // stages of x in shared memory: 3, or 2 where those do not fit
}

func newTiled(j *job) tiled {
	t := tiled{j, chooseTiles(j)}
	j.block = t.slots
	if down := t.tilesDown() * tileRows; j.batch == 1 && j.outs()%down == 0 {
		j.down = down
	}
	return t
}

func (t *tiled) held() int      { return t.per * len(t.weights) }
func (t *tiled) groups() int    { return t.slots / 8 }
func (t *tiled) threads() int   { return 32 * t.warps }
func (t *tiled) tilesDown() int { return t.warps / t.split * t.per }
func (t *tiled) rowBlocks() int { return ceilDiv(t.weights[0].tiles(), t.tilesDown()) }

// perSM is how many blocks a multiprocessor should hold: eight warps, so that a thread has 255
// registers.
func (t *tiled) perSM() int { return max(1, 8/t.warps) }

// sumBytes is the room for the sums of all groups of warps but the first.
func (t *tiled) sumBytes() int {
	return (t.split - 1) * t.threads() / t.split * t.held() * t.groups() * 4 * f32
}

// dataBytes holds the stages of x, and the sums when x is no longer needed.
func (t *tiled) dataBytes() int { return max(t.bufs*t.bufBytes(), t.sumBytes()) }

func (t *tiled) shared() int { return t.dataBytes() + (4*t.slots+15)&^15 }

func (t *tiled) launch() codegen.Launch {
	l := codegen.Line(ceilDiv(t.rows, t.slots), t.threads())
	l.Grid[1], l.Grid[2] = uint32(t.rowBlocks()), uint32(t.batch)
	l.Shared = uint32(t.shared())
	return l
}

func (t *tiled) emit(k *codegen.K) {
	k.MinBlocks(t.perSM())
	e := tiling{tiled: t, k: k, share: k.I32(0)}
	warp := k.Warp()
	if t.split > 1 {
		e.share = warp.And(t.split - 1)
		warp = warp.UDiv(t.split)
	}
	e.tile = k.BlockY().Mul(t.tilesDown()).Add(warp.Mul(t.per))
	for held := range t.held() { // weights are constants: the first are under way before the kernels ahead have ended
		e.ops = append(e.ops, e.operands(held, t.known(k.BlockZ())))
		e.acc = append(e.acc, codegen.Lets(4*t.groups(), k.F32(0)))
	}
	k.GridWait()
	from, live := k.BlockX().Mul(t.slots), t.liveRows(k)
	k.ReturnIf(from.Ge(live))
	e.b = t.forBlock(k, from, live)
	mem := k.Dynamic()
	e.scales = mem.At(t.dataBytes())
	k.Each(k.Thread(), t.threads(), t.slots, func(r codegen.I32) {
		e.scales.Elem(r, f32).StF32(e.b.row(r).At(plan.HalfScale(t.cols()) * plan.HalfBytes).LdF32())
	})
	e.pass(mem)
	e.finish(mem)
}

// forBlock is the job for the rows of a block, from row from on. Rows are numbered from 0; those from
// live on are taken for the last one.
func (t *tiled) forBlock(k *codegen.K, from, live codegen.I32) bound {
	b := t.bind(k, k.BlockZ())
	last := live.Max(1).Sub(1)
	at := func(r codegen.I32) codegen.I32 { return from.Add(r).Min(last) }
	p := b
	p.live = live.Sub(from)
	p.row = func(r codegen.I32) codegen.Ptr { return b.row(at(r).UMin(t.rowLimit(k).Sub(1))) }
	p.store = func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) { b.store(at(r), col, ok, v) }
	if b.old != nil {
		p.old = func(r, col codegen.I32, ok codegen.Pred) codegen.F32 { return b.old(at(r), col, ok) }
		p.set = func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) { b.set(at(r), col, ok, v) }
	}
	return p
}
