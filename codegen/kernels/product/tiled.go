package product

import (
	"dsac/codegen"
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
// all the rows of x. x goes through shared memory (feed), the next stage being loaded while one
// is multiplied. Where there are few tiles, split groups of warps share the columns of a block:
// each takes every split-th unit, and their sums are added up in order at the end. x is taken
// as it is at first; a block that meets a magnitude of 2^14 or more starts again with other
// factors.
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

// dataBytes holds two stages of x, and the sums when x is no longer needed.
func (t *tiled) dataBytes() int { return max(2*t.bufBytes(), t.sumBytes()) }

func (t *tiled) shared() int {
	return t.dataBytes() + (stageBytes(t.slots, t.threads())+15)&^15 + (4*t.slots+15)&^15
}

func (t *tiled) launch() codegen.Launch {
	l := codegen.Line(ceilDiv(t.rows, t.slots), t.threads())
	l.Grid[1], l.Grid[2] = uint32(t.rowBlocks()), uint32(t.batch)
	l.Shared = uint32(t.shared())
	return l
}

func (t *tiled) emit(k *codegen.K) {
	k.MinBlocks(t.perSM())
	b := t.bind(k, k.BlockZ())
	from := k.BlockX().Mul(t.slots)
	k.ReturnIf(from.Ge(b.live))
	last := b.live.Max(1).Sub(1)
	at := func(r codegen.I32) codegen.I32 { return from.Add(r).Min(last) }
	part := b
	part.live = b.live.Sub(from)
	part.number = at
	part.at = func(number codegen.I32) codegen.Ptr { return b.row(number.UMin(t.rowLimit(k).Sub(1))) }
	part.row = func(r codegen.I32) codegen.Ptr { return b.row(at(r)) }
	part.store = func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) { b.store(at(r), col, ok, v) }
	if b.old != nil {
		part.old = func(r, col codegen.I32, ok codegen.Pred) codegen.F32 { return b.old(at(r), col, ok) }
		part.set = func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) { b.set(at(r), col, ok, v) }
	}
	t.product(k, part, k.BlockY(), k.Dynamic(), k.BlockY().Eq(0))
}

// product emits the product of a block of weight rows with the rows of b, at most slots. Row
// numbers given to b are below slots; those from live on are to be taken for the last one.
func (t *tiled) product(k *codegen.K, b bound, block codegen.I32, mem codegen.Ptr, counts codegen.Pred) {
	e := tiling{tiled: t, k: k, b: b}
	e.st = stage{job: t.job, b: b, slots: t.slots, limit: t.slots, threads: t.threads(), counts: counts}
	e.st.place(mem.At(t.dataBytes()))
	e.numbers = mem.At(t.shared() - (4*t.slots+15)&^15)
	k.Each(k.Thread(), t.threads(), t.slots, func(r codegen.I32) { e.numbers.Elem(r, 4).StI32(b.number(r)) })
	warp := k.Warp()
	e.share = k.I32(0)
	if t.split > 1 {
		e.share = warp.And(t.split - 1)
		warp = warp.UDiv(t.split)
	}
	e.tile = block.Mul(t.tilesDown()).Add(warp.Mul(t.per))
	for range t.held() {
		e.acc = append(e.acc, codegen.Lets(4*t.groups(), k.F32(0)))
	}
	again, exact := codegen.Let(k.I32(1)), codegen.Let(k.I32(0))
	e.exact = exact
	e.st.reset(k)
	k.Sync()
	k.While(func() codegen.Pred { return again.Get().Ne(0) }, func() {
		e.pass(mem)
		again.Set(k.I32(0))
		k.If(exact.Get().Eq(0).And(e.st.flagged(k)), func() {
			e.st.exact(k)
			exact.Set(k.I32(1))
			again.Set(k.I32(1))
		})
	})
	e.finish(mem)
}
