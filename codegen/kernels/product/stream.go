package product

import (
	"dsac/codegen"
)

// stream is the kernel for few rows: it reads each weight once, at the speed of the memory.
//
// The warps of a block share row tiles: split warps have one tile (or one of each weight)
// together, every split-th unit of it each, and add up their sums in a fixed order. A block
// goes through groups of tiles, as many blocks as the device keeps busy. The next unit's words
// are always under way while the current one is multiplied, also from one group to the next.
type stream struct {
	*job
	slots   int // rows of x that are staged: a power of two
	warps   int
	split   int // warps that share a tile
	per     int // tiles of each weight that a warp has at once
	quantum int // units of one iteration
	iters   int // iterations of a tile
	groups  int // of (warps/split)*per tiles
	blocks  int
	window  int // iterations whose columns of x are staged at once
}

const streamWarps = 8

// windowBytes bounds the staged part of x.
const windowBytes = 40 << 10

func newStream(j *job) stream {
	s := stream{job: j, slots: pow2(j.rows), warps: streamWarps, per: 1, quantum: 1}
	w := j.weights[0]
	if w.chunks() == 1 {
		for _, q := range []int{4, 3, 2} {
			if j.segUnits()%q == 0 {
				s.quantum = q
				break
			}
		}
	}
	s.iters = j.segs * j.segUnits() / s.quantum
	s.split = 1
	for s.split < s.warps && s.split*2 <= s.iters {
		s.split *= 2
	}
	// One iteration a warp is a poor pipeline; better more tiles at once.
	for s.split > 1 && s.iters/s.split < 2 && w.tiles() > 4*sms(j.spec.Target) {
		s.split /= 2
	}
	iterBytes := s.quantum * w.chunks() * rowBytes * s.slots
	s.window = s.iters
	if s.iters*iterBytes > windowBytes {
		for s.split > 1 && s.split*iterBytes > windowBytes {
			s.split /= 2
		}
		s.window = max(1, windowBytes/iterBytes/s.split) * s.split
		for s.per < 4/len(j.weights) && w.tiles() >= (s.warps/s.split)*(s.per+1)*sms(j.spec.Target) {
			s.per++
		}
	}
	s.groups = ceilDiv(w.tiles(), s.warps/s.split*s.per)
	most := max(1, 4*sms(j.spec.Target)/max(1, min(j.batch, 8)))
	s.blocks = ceilDiv(s.groups, ceilDiv(s.groups, most))
	return s
}

func pow2(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

func (s *stream) resident() bool { return s.window == s.iters }
func (s *stream) threads() int   { return 32 * s.warps }
func (s *stream) tilesHeld() int { return s.per * len(s.weights) }

// iterChunks are the chunks of an iteration.
func (s *stream) iterChunks() int { return s.quantum * s.weights[0].chunks() }

// Shared memory: staged x, the stage's own, then sums of the warps: for two groups where no
// barrier of staging keeps one from the next.
func (s *stream) dataBytes() int { return s.window * s.iterChunks() * rowBytes * s.slots }
func (s *stream) sumBytes() int  { return s.tilesHeld() * s.warps * s.slots * tileRows * f32 }
func (s *stream) groupsKept() int {
	if s.resident() {
		return 2
	}
	return 1
}
func (s *stream) shared() int {
	return s.dataBytes() + (stageBytes(s.slots, s.threads())+15)&^15 + s.groupsKept()*s.sumBytes()
}

func (s *stream) launch() codegen.Launch {
	l := codegen.Line(s.blocks, s.threads())
	l.Grid[1] = uint32(s.batch)
	l.Shared = uint32(s.shared())
	return l
}

// streaming is a stream while it is emitted.
type streaming struct {
	*stream
	k      *codegen.K
	b      bound
	st     stage
	x      columns
	sums   codegen.Ptr
	wk, wr codegen.I32 // of this warp: share of a tile, tile of a group
	words  []*codegen.Var[codegen.I32]
	acc    [][]*codegen.Var[codegen.F32] // by tile held: two chains of four for each eight rows
}

func (s *stream) emit(k *codegen.K) {
	e := streaming{stream: s, k: k, b: s.bind(k, k.BlockY())}
	k.MinBlocks(1)
	k.ReturnIf(e.b.live.Le(0))
	dyn := k.Dynamic()
	e.st = stage{job: s.job, b: e.b, slots: s.slots, limit: s.rows, threads: s.threads(), data: dyn, counts: k.BlockX().Eq(0)}
	e.st.place(dyn.At(s.dataBytes()))
	e.sums = dyn.At(s.shared() - s.groupsKept()*s.sumBytes())
	e.x = e.st.reader(k)
	e.wk, e.wr = k.Warp().And(s.split-1), k.Warp().UDiv(s.split)

	group := codegen.Let(k.BlockX())
	for _, w := range s.weights {
		for len(e.words) < s.quantum*w.words() {
			e.words = append(e.words, codegen.Let(k.I32(0)))
		}
	}
	e.start(group.Get())
	e.st.reset(k)
	k.Sync()
	if s.resident() {
		e.st.move(k, k.I32(0), s.iters*s.iterChunks())
		k.Sync()
		k.If(e.st.flagged(k), func() {
			e.st.exact(k)
			e.st.move(k, k.I32(0), s.iters*s.iterChunks())
			k.Sync()
		})
	}
	exact := codegen.Let(k.I32(0))
	parity := codegen.Let(k.I32(0))
	k.While(func() codegen.Pred { return group.Get().Lt(s.groups) }, func() {
		e.clear()
		if s.resident() {
			e.multiply(group.Get(), k.I32(0), k.I32(s.iters))
		} else {
			e.windows(group.Get())
		}
		e.leave(parity.Get())
		k.Sync()
		if s.resident() {
			e.finish(group.Get(), parity.Get())
			group.Set(group.Get().Add(s.blocks))
		} else {
			k.IfElse(e.st.flagged(k).And(exact.Get().Eq(0)), func() { // once more, with other factors
				e.st.exact(k)
				exact.Set(k.I32(1))
				e.start(group.Get())
			}, func() {
				e.finish(group.Get(), parity.Get())
				group.Set(group.Get().Add(s.blocks))
			})
		}
		parity.Set(parity.Get().Xor(s.groupsKept() - 1))
	})
}

// start fetches the first words of a group.
func (e *streaming) start(group codegen.I32) {
	for i, w := range e.fetch(group, e.wk, 0) {
		e.words[i].Set(w)
	}
}

func (e *streaming) clear() {
	e.acc = nil
	for range e.tilesHeld() {
		e.acc = append(e.acc, codegen.Lets(8*max(1, e.slots/8), e.k.F32(0)))
	}
}

// windows stages x part by part.
func (e *streaming) windows(group codegen.I32) {
	e.k.For(0, e.iters, e.window, func(lo codegen.I32) {
		e.k.Sync()
		// The last window may be short; what lies past the end is staged as zeros.
		e.st.move(e.k, lo.Mul(e.iterChunks()), e.window*e.iterChunks())
		e.k.Sync()
		e.multiply(group, lo, lo.Add(e.window).Min(e.iters))
	})
}

// tile returns the tile number of a held tile in a group, within one matrix, and its weight.
func (e *streaming) tile(group codegen.I32, held int) (codegen.I32, int) {
	m := len(e.weights)
	return group.Mul(e.warps / e.split).Add(e.wr).Mul(e.per).Add(held / m), held % m
}

// fetch loads the words of an iteration of a held tile.
func (e *streaming) fetch(group, iter codegen.I32, held int) (words []codegen.I32) {
	t, m := e.tile(group, held)
	w := e.weights[m]
	unit := iter.Mul(e.quantum)
	seg := e.k.I32(0)
	if e.segs > 1 {
		seg = unit.UDiv(w.units()).UMin(e.segs - 1)
		unit = unit.Sub(seg.Mul(w.units()))
	}
	t = e.b.matrix(seg).Mul(w.tiles()).Add(t.UMin(w.tiles() - 1))
	for q := range e.quantum {
		p := w.unit(e.k.Arg(e.args[m]), t, unit.Add(q).UMin(w.units()-1))
		words = append(words, w.load(e.k, p)...)
	}
	return words
}

// multiply adds up iterations [lo, hi), of which this warp has every split-th; lo is a multiple
// of split.
func (e *streaming) multiply(group, lo, hi codegen.I32) {
	e.k.For(lo.Add(e.wk), hi, e.split, func(it codegen.I32) {
		chunk := e.st.data.Elem(it.Sub(lo).Mul(e.iterChunks()*e.slots), rowBytes)
		for held := range e.tilesHeld() {
			next, nextGroup, nextHeld := it, group, held+1
			if nextHeld == e.tilesHeld() {
				nextHeld = 0
				last := it.Add(e.split).Ge(e.iters)
				next = codegen.Select(last, e.wk, it.Add(e.split))
				nextGroup = codegen.Select(last, group.Add(e.blocks).Min(e.groups-1), group)
			}
			ahead := e.fetch(nextGroup, next, nextHeld)
			e.one(chunk, held)
			for i, w := range ahead {
				e.words[i].Set(w)
			}
		}
	})
}

// one multiplies the words at hand, an iteration of a tile.
func (e *streaming) one(chunk codegen.Ptr, held int) {
	w := e.weights[held%len(e.weights)]
	for q := range e.quantum {
		words := make([]codegen.I32, w.words())
		for i := range words {
			words[i] = e.words[q*w.words()+i].Get()
		}
		operand := w.open(e.k, words)
		for c := range w.chunks() {
			at := chunk.At((q*w.chunks() + c) * e.slots * rowBytes)
			for h := range 2 {
				a := [2][4]codegen.I32{operand(4*c + 2*h), operand(4*c + 2*h + 1)}
				for group := range max(1, e.slots/8) {
					for s, b := range e.x.load(at, group, h) {
						multiply(e.k, e.acc[held][8*group+4*s:][:4], a[s], b)
					}
				}
			}
		}
	}
}

// multiply adds a product to four sums.
func multiply(k *codegen.K, sums []*codegen.Var[codegen.F32], a [4]codegen.I32, b [2]codegen.I32) {
	c := [4]codegen.F32{sums[0].Get(), sums[1].Get(), sums[2].Get(), sums[3].Get()}
	for i, d := range k.MmaF16(a, b, c) {
		sums[i].Set(d)
	}
}

// sum returns the address of a warp's sums of a held tile: slots rows of 16 numbers.
func (e *streaming) sum(parity, warp codegen.I32, held int) codegen.Ptr {
	return e.sums.Elem(parity, e.sumBytes()).Elem(warp.Add(held*e.warps), e.slots*tileRows*f32)
}

// leave stores the warp's sums where the others find them.
func (e *streaming) leave(parity codegen.I32) {
	g, t := e.k.Lane().Shr(2), e.k.Lane().And(3)
	for held, acc := range e.acc {
		p := e.sum(parity, e.k.Warp(), held).Elem(g, f32)
		for i, v := range acc {
			if i&4 != 0 {
				continue
			}
			n := t.Mul(2).Add(i>>3*8 + i&1)
			q := p.Elem(n, tileRows*f32).At(i >> 1 & 1 * 8 * f32)
			if e.slots < 8 {
				q = q.When(n.Lt(e.slots))
			}
			q.StF32(v.Get().Add(acc[i+4].Get()))
		}
	}
}

// finish adds up the warps' sums and stores the results of a group.
func (e *streaming) finish(group, parity codegen.I32) {
	k, m := e.k, len(e.weights)
	total := e.warps / e.split * e.per * e.slots * tileRows
	k.For(k.Thread(), total, e.threads(), func(o codegen.I32) {
		row := o.And(tileRows - 1)
		n := o.Shr(4).And(e.slots - 1)
		which := o.UDiv(tileRows * e.slots) // tile of the group
		wr, held := which, k.I32(0)
		if e.per > 1 {
			wr = which.UDiv(e.per)
			held = which.Sub(wr.Mul(e.per))
		}
		sums := make([]codegen.F32, m)
		for i := range sums {
			p := e.sum(parity, wr.Mul(e.split).Add(held.Mul(m*e.warps)), i).Elem(n, tileRows*f32).Elem(row, f32)
			sums[i] = p.LdF32()
			for w := 1; w < e.split; w++ {
				sums[i] = sums[i].Add(p.At(w * e.slots * tileRows * f32).LdF32())
			}
			sums[i] = sums[i].Mul(e.st.inverse(n))
		}
		col := group.Mul(e.warps / e.split * e.per).Add(which).Mul(tileRows).Add(row)
		ok := col.Lt(e.outs()).And(n.Lt(e.b.live))
		e.b.store(n.Min(e.rows-1), col.Clamp(0, e.outs()-1), ok, e.value(sums))
	})
}
