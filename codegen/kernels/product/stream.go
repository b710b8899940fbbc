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

// Bounds of the staged part of x, in bytes. A block that holds all of it shares its
// multiprocessor with another; one that stages it part by part has 16 warps and is alone.
const (
	residentBytes = 40 << 10
	windowBytes   = 64 << 10
)

func newStream(j *job) stream {
	s := stream{job: j, slots: pow2(j.rows), warps: 8, per: 1, split: 1, quantum: 1}
	w := j.weights[0]
	if w.chunks() == 1 {
		for _, q := range []int{4, 3, 2} {
			if j.segUnits()%q == 0 && q*w.words() <= 30 {
				s.quantum = q
				break
			}
		}
	}
	s.iters = j.segs * j.segUnits() / s.quantum
	iterBytes := s.iterChunks() * rowBytes * s.slots
	if s.iters*iterBytes <= residentBytes {
		s.chooseResident()
	} else {
		s.chooseWindow(iterBytes)
	}
	s.groups = ceilDiv(w.tiles(), s.warps/s.split*s.per)
	most := max(1, s.blocksPerSM()*sms(j.spec.Target)/min(j.batch, 8))
	s.blocks = ceilDiv(s.groups, ceilDiv(s.groups, most))
	return s
}

// chooseResident takes as many warps to a tile as have two iterations each, or one where tiles
// are few.
func (s *stream) chooseResident() {
	s.window = s.iters
	for s.split < s.warps && s.split*2 <= s.iters {
		s.split *= 2
	}
	if s.split > 1 && s.iters/s.split < 2 && s.weights[0].tiles() > 4*sms(s.spec.Target) {
		s.split /= 2
	}
}

// chooseWindow weighs how evenly groups of tiles fill the device against how often x has to be
// staged: once per group, which takes about as long as a fifth of a tile per row.
func (s *stream) chooseWindow(iterBytes int) {
	if s.slots <= 8 {
		s.warps = 16
	}
	best := 0.0
	for split := 1; split <= s.warps && split*iterBytes <= windowBytes; split *= 2 {
		for per := 1; per*len(s.weights) <= 2 && split*4 >= s.warps; per++ {
			tiles := s.warps / split * per
			rounds := ceilDiv(ceilDiv(s.weights[0].tiles(), tiles)*min(s.batch, 8), sms(s.spec.Target))
			cost := float64(rounds) * (float64(tiles) + 0.22*float64(s.slots))
			if best == 0 || cost < best {
				best, s.split, s.per = cost, split, per
			}
		}
	}
	s.window = min(s.iters, windowBytes/iterBytes/s.split*s.split)
}

// blocksPerSM is how many blocks a multiprocessor should hold: sixteen warps, so that a thread
// has 128 registers, fewer where it needs more.
func (s *stream) blocksPerSM() int {
	if s.slots > 8 {
		return 1
	}
	return 16 / s.warps
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

// Shared memory: staged x, sums of x, the stage's own, then sums of the warps: for two groups where no
// barrier of staging keeps one from the next.
func (s *stream) dataBytes() int { return s.window * s.iterChunks() * rowBytes * s.slots }
func (s *stream) partBytes() int { return s.tilesHeld() * s.warps * s.slots * tileRows * f32 }

// groupBytes is the shared memory of sums of x.
func (s *stream) groupBytes() int {
	for _, w := range s.weights {
		if w.format.whole != nil {
			return s.window * s.slots * sumBytes
		}
	}
	return 0
}
func (s *stream) groupsKept() int {
	if s.resident() {
		return 2
	}
	return 1
}
func (s *stream) shared() int {
	return s.dataBytes() + s.groupBytes() + (stageBytes(s.slots, s.threads())+15)&^15 + s.groupsKept()*s.partBytes()
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
	sumAt  codegen.I32 // of this lane, in the sums of a unit
	sums   codegen.Ptr
	wk, wr codegen.I32 // of this warp: share of a tile, tile of a group
	words  []*codegen.Var[codegen.I32]
	acc    [][]*codegen.Var[codegen.F32] // by tile held: two chains of four for each eight rows
}

func (s *stream) emit(k *codegen.K) {
	k.MinBlocks(s.blocksPerSM())
	dyn := k.Dynamic()
	e := streaming{stream: s, k: k}
	e.st = stage{job: s.job, slots: s.slots, limit: s.rows, threads: s.threads(), data: dyn, counts: k.BlockX().Eq(0)}
	e.st.place(dyn.At(s.dataBytes() + s.groupBytes()))
	if s.groupBytes() > 0 {
		sums := dyn.At(s.dataBytes())
		e.st.sums = &sums
		e.sumAt = e.st.sumReader(k)
	}
	e.sums = dyn.At(s.shared() - s.groupsKept()*s.partBytes())
	e.x = e.st.reader(k)
	e.wk, e.wr = k.Warp().And(s.split-1), k.Warp().UDiv(s.split)

	group := codegen.Let(k.BlockX())
	for _, w := range s.weights {
		for len(e.words) < s.quantum*w.words() {
			e.words = append(e.words, codegen.Let(k.I32(0)))
		}
	}
	// Weights are constants: they are under way before the kernels ahead have ended, if it is
	// known which.
	if s.known != nil {
		e.start(group.Get())
	}
	e.st.reset(k)
	k.GridWait()
	e.b = s.bind(k, k.BlockY())
	e.st.b = e.b
	k.ReturnIf(e.b.live.Le(0))
	if s.known == nil {
		e.start(group.Get())
	}
	k.Sync()
	if s.resident() {
		e.stageAll()
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

// stageAll stages all of x, once more with other factors where it has to.
func (e *streaming) stageAll() {
	k := e.k
	round := codegen.Let(k.I32(1))
	k.While(func() codegen.Pred { return round.Get().Ne(0) }, func() {
		e.st.move(k, k.I32(0), e.iters*e.iterChunks())
		k.Sync()
		k.IfElse(e.st.flagged(k).And(round.Get().Eq(1)), func() {
			e.st.exact(k)
			round.Set(k.I32(2))
		}, func() { round.Set(k.I32(0)) })
	})
}

// matrix returns the number of the matrix for a segment.
func (e *streaming) matrix(seg codegen.I32) codegen.I32 {
	if e.known != nil {
		return e.known(e.k.BlockY())
	}
	return e.b.matrix(seg)
}

// start fetches the first words of a group.
func (e *streaming) start(group codegen.I32) {
	for i, w := range e.fetch(group, e.wk, 0) {
		e.words[i].Set(w)
	}
}

// rowGroups is the number of groups of eight rows of x.
func (s *stream) rowGroups() int { return max(1, s.slots/8) }

// chains is the number of sums that a warp adds up side by side for a tile and group: two where
// there would be nothing else to do while an mma is under way.
func (s *stream) chains() int {
	if s.tilesHeld()*s.rowGroups() == 1 {
		return 2
	}
	return 1
}

func (e *streaming) clear() {
	e.acc = nil
	for range e.tilesHeld() {
		e.acc = append(e.acc, codegen.Lets(4*e.chains()*e.rowGroups(), e.k.F32(0)))
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
	t = e.matrix(seg).Mul(w.tiles()).Add(t.UMin(w.tiles() - 1))
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
		for held := range e.tilesHeld() {
			next, nextGroup, nextHeld := it, group, held+1
			if nextHeld == e.tilesHeld() {
				nextHeld = 0
				last := it.Add(e.split).Ge(e.iters)
				next = codegen.Select(last, e.wk, it.Add(e.split))
				nextGroup = codegen.Select(last, group.Add(e.blocks).Min(e.groups-1), group)
			}
			ahead := e.fetch(nextGroup, next, nextHeld)
			e.one(it.Sub(lo), held)
			for i, w := range ahead {
				e.words[i].Set(w)
			}
		}
	})
}

// one multiplies the words at hand, an iteration of a tile: that with number at of those whose
// x is staged.
func (e *streaming) one(at codegen.I32, held int) {
	w := e.weights[held%len(e.weights)]
	chunk := e.st.data.Elem(at.Mul(e.iterChunks()*e.slots), rowBytes)
	for q := range e.quantum {
		words := make([]codegen.I32, w.words())
		for i := range words {
			words[i] = e.words[q*w.words()+i].Get()
		}
		chunk := chunk.At(q * w.chunks() * e.slots * rowBytes)
		if w.whole != nil {
			e.wholeUnit(w.whole(e.k, words), chunk, at, e.acc[held])
		} else {
			e.steps(w.open(e.k, words), w.chunks(), chunk, e.acc[held])
		}
	}
}

// steps multiplies chunks.
func (e *streaming) steps(operand func(step int) [4]codegen.I32, chunks int, chunk codegen.Ptr, acc []*codegen.Var[codegen.F32]) {
	for c := range chunks {
		at := chunk.At(c * e.slots * rowBytes)
		for h := range 2 {
			a := [2][4]codegen.I32{operand(4*c + 2*h), operand(4*c + 2*h + 1)}
			for group := range e.rowGroups() {
				for s, b := range e.x.load(at, group, h) {
					multiply(e.k, acc[4*(group*e.chains()+s%e.chains()):][:4], a[s], b)
				}
			}
		}
	}
}

// wholeUnit multiplies a unit whose scales are applied to sums.
func (e *streaming) wholeUnit(u *whole, chunk codegen.Ptr, at codegen.I32, acc []*codegen.Var[codegen.F32]) {
	codes := codegen.Lets(len(acc), e.k.F32(0))
	e.steps(u.operand, 4, chunk, codes)
	for group := range e.rowGroups() {
		b := e.st.sums.Elem(at.Mul(e.slots), sumBytes).At(e.sumAt).At(group * 8 * sumBytes).LdI32x2()
		minima := codegen.Lets(4, e.k.F32(0))
		multiply(e.k, minima, u.minima, b)
		for i := range 4 {
			sum := acc[4*group*e.chains()+i]
			for c := range e.chains() {
				sum.Set(codes[4*(group*e.chains()+c)+i].Get().Fma(u.d[i>>1], sum.Get()))
			}
			sum.Set(minima[i].Get().Fma(u.dmin[i>>1], sum.Get()))
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
	return e.sums.Elem(parity, e.partBytes()).Elem(warp.Add(held*e.warps), e.slots*tileRows*f32)
}

// leave stores the warp's sums where the others find them.
func (e *streaming) leave(parity codegen.I32) {
	g, t := e.k.Lane().Shr(2), e.k.Lane().And(3)
	for held, acc := range e.acc {
		p := e.sum(parity, e.k.Warp(), held).Elem(g, f32)
		for i := range 4 * e.rowGroups() {
			sums := acc[i>>2*4*e.chains()+i&3:]
			v := sums[0].Get()
			if e.chains() == 2 {
				v = v.Add(sums[4].Get())
			}
			n := t.Mul(2).Add(i>>2*8 + i&1)
			if e.weights[held%len(e.weights)].whole != nil {
				v = v.Mul(wholeScale)
			}
			q := p.Elem(n, tileRows*f32).At(i >> 1 & 1 * 8 * f32)
			if e.slots < 8 {
				q = q.When(n.Lt(e.slots))
			}
			q.StF32(v)
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
