package product

import (
	"dsac/codegen"
)

// tiled is the kernel for many rows: tiles of weight rows by rows of x, limited by the tensor
// cores.
//
//	             rows of x: slots, each warp has cols groups of eight
//	           +-----------+-----------+
//	outs/block | warp 0    | warp 1    |  a warp has held tiles of 16 weight rows
//	           | warp 2    | warp 3    |
//	           +-----------+-----------+
//
// Warps turn their weights into f16 in registers, a chunk of 64 columns at a time; x goes
// through shared memory, the next chunk being loaded while one is multiplied. x is taken as it
// is at first; a block that meets a magnitude of 2^14 or more starts again with other factors.
type tiled struct {
	*job
	slots  int  // rows of x of a block
	across int  // warps side by side over the rows of x
	per    int  // tiles of each weight that a warp has
	guard  bool // leave out groups of rows that are not there
}

const tiledWarps = 8

// shapes to choose from, the best for large products first.
var tiledShapes = []tiled{
	{slots: 40, across: 1, per: 2},
	{slots: 64, across: 1, per: 1},
	{slots: 32, across: 1, per: 1},
}

func newTiled(j *job) tiled {
	var t tiled
	for i := range tiledShapes {
		t = tiledShapes[i]
		t.job = j
		if t.per > 1 && t.wordy() {
			continue
		}
		t.per = max(1, t.per/len(j.weights))
		if t.rowBlocks()*ceilDiv(j.rows, t.slots)*j.batch >= sms(j.spec.Target) {
			break
		}
	}
	return t
}

// wordy says whether a weight's words take so many registers that two tiles do not fit.
func (t *tiled) wordy() bool {
	for _, w := range t.weights {
		if w.words() > 20 {
			return true
		}
	}
	return false
}

func (t *tiled) held() int      { return t.per * len(t.weights) }
func (t *tiled) groups() int    { return t.slots / t.across / 8 }
func (t *tiled) threads() int   { return 32 * tiledWarps }
func (t *tiled) tilesDown() int { return tiledWarps / t.across * t.per }
func (t *tiled) rowBlocks() int { return ceilDiv(t.weights[0].tiles(), t.tilesDown()) }
func (t *tiled) bufBytes() int  { return rowBytes * t.slots }
func (t *tiled) shared() int {
	return 2*t.bufBytes() + (stageBytes(t.slots, t.threads())+15)&^15
}

func (t *tiled) launch() codegen.Launch {
	l := codegen.Line(ceilDiv(t.rows, t.slots), t.threads())
	l.Grid[1], l.Grid[2] = uint32(t.rowBlocks()), uint32(t.batch)
	l.Shared = uint32(t.shared())
	return l
}

func (t *tiled) emit(k *codegen.K) {
	k.MinBlocks(1)
	b := t.bind(k, k.BlockZ())
	from := k.BlockX().Mul(t.slots)
	k.ReturnIf(from.Ge(b.live))
	part := b
	part.live = b.live.Sub(from)
	part.row = func(r codegen.I32) codegen.Ptr { return b.row(from.Add(r).Min(t.rows - 1)) }
	part.store = func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
		b.store(from.Add(r).Min(t.rows-1), col, ok, v)
	}
	t.product(k, part, k.BlockY(), k.Dynamic(), k.BlockY().Eq(0))
}

// tiling is a tiled kernel while it is emitted.
type tiling struct {
	*tiled
	k      *codegen.K
	b      bound
	st     stage
	x      columns
	right  codegen.I32 // of this warp over the rows of x
	tile   codegen.I32 // its first tile of weights
	words  [][]*codegen.Var[codegen.I32]
	acc    [][]*codegen.Var[codegen.F32]
	chunks int
}

// product emits the product of a block of weight rows with the rows of b, at most slots.
func (t *tiled) product(k *codegen.K, b bound, block codegen.I32, mem codegen.Ptr, counts codegen.Pred) {
	e := tiling{tiled: t, k: k, b: b, chunks: t.segChunks()}
	e.st = stage{job: t.job, b: b, slots: t.slots, limit: t.slots, threads: t.threads(), counts: counts}
	e.st.place(mem.At(2 * t.bufBytes()))
	e.x = e.st.reader(k)
	e.right = k.Warp().And(t.across - 1)
	e.tile = block.Mul(t.tilesDown()).Add(k.Warp().UDiv(t.across).Mul(t.per))
	for range t.held() {
		e.acc = append(e.acc, codegen.Lets(4*t.groups(), k.F32(0)))
	}
	again, exact := codegen.Let(k.I32(1)), codegen.Let(k.I32(0))
	e.st.reset(k)
	k.Sync()
	k.While(func() codegen.Pred { return again.Get().Ne(0) }, func() {
		for _, held := range e.acc {
			for _, v := range held {
				v.Set(k.F32(0))
			}
		}
		e.pass(mem)
		again.Set(k.I32(0))
		k.If(exact.Get().Eq(0).And(e.st.flagged(k)), func() {
			e.st.exact(k)
			exact.Set(k.I32(1))
			again.Set(k.I32(1))
		})
	})
	e.finish()
}

// unit returns the address of a held tile's unit.
func (e *tiling) unit(held int, u codegen.I32) (codegen.Ptr, *weight) {
	m := len(e.weights)
	w := e.weights[held%m]
	tile := e.tile.Add(held / m).UMin(w.tiles() - 1)
	tile = e.b.matrix(e.k.I32(0)).Mul(w.tiles()).Add(tile)
	return w.unit(e.k.Arg(e.args[held%m]), tile, u.UMin(w.units()-1)), w
}

// buffer returns where a chunk is staged.
func (e *tiling) buffer(mem codegen.Ptr, chunk codegen.I32) codegen.Ptr {
	return mem.Elem(chunk.And(1), e.bufBytes())
}

// pass goes once through all columns.
func (e *tiling) pass(mem codegen.Ptr) {
	k := e.k
	e.words = nil
	for held := range e.held() {
		e.words = append(e.words, codegen.Lets(e.weights[held%len(e.weights)].words(), k.I32(0)))
		e.first(held, k.I32(0))
	}
	largest := codegen.Let(k.F32(0))
	put := func(runs []run) {
		for i := range runs {
			largest.Set(e.st.put(k, &runs[i], largest.Get()))
		}
	}
	for h := range 2 {
		put(e.runs(mem, k.I32(0), k.I32(0), h))
	}
	k.Sync()
	per := e.weights[0].chunks()
	k.For(0, e.segUnits(), 1, func(u codegen.I32) {
		var ops []operands
		for held := range e.held() {
			ops = append(ops, e.open(held))
		}
		for c := range per {
			chunk := u.Mul(per).Add(c)
			// Past the end the last chunk comes once more, into the buffer that is free.
			e.chunk(mem, u, c, ops, func(round int) []run {
				return e.runs(mem, chunk.Add(1), chunk.Add(1).Min(e.chunks-1), round)
			}, put)
			k.Sync()
		}
	})
	e.st.note(k, largest.Get())
	k.Sync()
}

// round gives the runs of a thread that are on their way during half h of a chunk: they wait in
// registers.
func (t *tiled) round(h int) (first, end int) {
	n := ceilDiv(t.slots*chunkCols/runCols, t.threads())
	return h * ((n + 1) / 2), min(n, (h+1)*((n+1)/2))
}

// runs starts loading a round of this thread's runs of a chunk, into the buffer of chunk to.
func (e *tiling) runs(mem codegen.Ptr, to, chunk codegen.I32, h int) (rs []run) {
	e.st.data = e.buffer(mem, to)
	for i, end := e.round(h); i < end; i++ {
		rs = append(rs, e.st.spread(e.k, chunk, i))
	}
	return rs
}

// fetch loads the words that chunk c of unit u needs and the chunks before did not, and gives
// them to set.
func (e *tiling) fetch(held, c int, u codegen.I32, set func(i int, x codegen.I32)) {
	p, w := e.unit(held, u)
	at := 0
	for _, part := range w.parts {
		if part.first == c {
			for i, x := range part.load(e.k, p) {
				set(at+i, x)
			}
		}
		at += part.words
	}
}

// first fetches what a unit's first chunk needs.
func (e *tiling) first(held int, u codegen.I32) {
	e.fetch(held, 0, u, func(i int, x codegen.I32) { e.words[held][i].Set(x) })
}

// operands are the A operands of a held tile within a unit.
type operands struct {
	words []codegen.I32 // of chunks up to the current one
	step  func(step int) [4]codegen.I32
}

func (e *tiling) open(held int) operands {
	o := operands{words: make([]codegen.I32, len(e.words[held]))}
	for i, v := range e.words[held] {
		o.words[i] = v.Get()
	}
	o.step = e.weights[held%len(e.weights)].open(e.k, o.words)
	return o
}

// chunk multiplies chunk c of unit u, in two halves. Meanwhile the next chunk of x is on its
// way: load starts a round of it, put stores it.
func (e *tiling) chunk(mem codegen.Ptr, u codegen.I32, c int, ops []operands, load func(round int) []run, put func([]run)) {
	per := e.weights[0].chunks()
	at := e.buffer(mem, u.Mul(per).Add(c)).Elem(e.right, e.slots/e.across*rowBytes)
	var ahead []run
	for h := range 2 {
		if first, end := e.round(h); first < end {
			put(ahead)
			ahead = load(h)
		}
		a := make([][2][4]codegen.I32, len(ops))
		for held, o := range ops {
			a[held] = [2][4]codegen.I32{o.step(4*c + 2*h), o.step(4*c + 2*h + 1)}
			switch {
			case h == 0:
			case c+1 < per:
				e.fetch(held, c+1, u, func(i int, x codegen.I32) { o.words[i] = x })
			default:
				e.first(held, u.Add(1))
			}
		}
		for from := 0; from < e.groups(); from += guarded {
			e.some(at, from, min(e.groups(), from+guarded), h, a)
		}
	}
	put(ahead)
}

// guarded is the number of groups of eight rows that are left out together.
const guarded = 4

// some multiplies half a chunk with groups [from, to) of eight rows of x.
func (e *tiling) some(at codegen.Ptr, from, to, h int, a [][2][4]codegen.I32) {
	body := func() {
		for group := from; group < to; group++ {
			for s, b := range e.x.load(at, group, h) {
				for held := range a {
					multiply(e.k, e.acc[held][4*group:][:4], a[held][s], b)
				}
			}
		}
	}
	if e.guard && from > 0 {
		e.k.If(e.b.live.Gt(e.right.Mul(e.slots/e.across).Add(8*from)), body)
		return
	}
	body()
}

// finish stores the results, each lane its own, eight rows of x at a time.
func (e *tiling) finish() {
	first := e.right.Mul(e.slots / e.across)
	for group := range e.groups() {
		e.k.If(first.Add(8*group).Lt(e.b.live), func() { e.store(first, group) })
	}
}

// store stores the results of eight rows of x.
func (e *tiling) store(first codegen.I32, group int) {
	k, m := e.k, len(e.weights)
	g, t := k.Lane().Shr(2), k.Lane().And(3)
	for odd := range 2 {
		n := first.Add(t.Mul(2)).Add(8*group + odd)
		inverse := e.st.inverse(n)
		for p := range e.per {
			for down := range 2 {
				v := make([]codegen.F32, m)
				for i := range v {
					v[i] = e.acc[p*m+i][4*group+2*down+odd].Get().Mul(inverse)
				}
				col := e.tile.Add(p).Mul(tileRows).Add(g).Add(8 * down)
				ok := n.Lt(e.b.live).And(col.Lt(e.outs()))
				e.b.store(n, col.Min(e.outs()-1), ok, e.value(v))
			}
		}
	}
}
