package product

import (
	"dsac/codegen"
)

// streaming is a stream while it is emitted.
type streaming struct {
	*stream
	k      *codegen.K
	b      bound
	st     stage
	x      columns
	apart  *apart      // where there are weights whose groups are told apart
	sumAt  codegen.I32 // of this lane, in the sums of x of a unit
	parts  codegen.Ptr // sums of the warps
	parity codegen.I32 // of the number of the group: which of two buffers is in use
	rank   codegen.I32 // of this block in its cluster
	inbox  codegen.Ptr // sums of the blocks of the cluster
	wk, wr codegen.I32 // of this warp: share of a tile, place of its tiles in a group
	at     cursor
	words  [][]*codegen.Var[codegen.I32] // of each weight, an iteration; all the same where they take turns
}

func (s *stream) emit(k *codegen.K) {
	k.MinBlocks(s.minBlocks())
	e := streaming{stream: s, k: k, rank: k.I32(0)}
	if s.cluster > 1 {
		k.Cluster(s.cluster)
		e.rank = k.ClusterRank()
	}
	dyn := k.Dynamic()
	e.st = stage{job: s.job, slots: s.slots, limit: s.rows, threads: s.threads(), data: dyn, counts: k.BlockX().Lt(s.cluster), own: e.own()}
	e.st.place(dyn.At(s.stageAt()))
	if s.groupBytes() > 0 {
		sums := dyn.At(s.groupsAt())
		e.st.sums = &sums
		e.st.apart = s.anyApart()
		e.sumAt = e.st.sumReader(k)
	}
	e.parts = dyn.At(s.partsAt())
	e.inbox = dyn.At(s.inboxAt())
	e.x = e.st.reader(k)
	e.wk, e.wr = k.Warp().And(s.split-1), k.Warp().UDiv(s.split)

	group := codegen.Let(k.BlockX().UDiv(s.cluster))
	for m, w := range s.weights {
		if m > 0 && s.turns() {
			e.words = append(e.words, e.words[0])
			break
		}
		e.words = append(e.words, codegen.Lets(s.quantum*w.words(), k.I32(0)))
	}
	e.at = cursor{codegen.Let(k.I32(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(0))}
	if s.cluster > 1 {
		k.ClusterStart()
	}
	// Weights are constants: where it is known which, they are under way before the kernels
	// ahead have ended.
	if s.known != nil {
		e.start(group.Get())
	}
	e.st.reset(k)
	if e.zeroBytes() > 0 {
		e.apart = e.newApart()
	}
	k.GridWait()
	e.b = s.bind(k, k.BlockY())
	e.st.b = e.b
	if s.known == nil {
		// Where weights are under way nobody leaves: a step has a live row, and ptxas would move
		// their loads past the question, which waits for the count of live rows.
		k.ReturnIf(e.b.live.Le(0))
		e.start(group.Get())
	}
	k.Sync()
	if s.resident() {
		e.fromAll(group)
	} else {
		e.fromWindows(group)
	}
}

// multiply adds up iterations [lo, hi) of the warp's tiles, of which it has every split-th; lo is
// a multiple of split.
func (e *streaming) multiply(lo, hi codegen.I32) {
	tile := func(held codegen.I32) {
		sums := make([]sums, len(e.weights))
		for m := range sums {
			sums[m] = codegen.Lets(e.numbers(m), e.k.F32(0))
		}
		e.k.For(lo.Add(e.wk), hi, e.split, func(it codegen.I32) {
			for m := range e.weights {
				if m == e.last() {
					e.advance()
				}
				e.one(m, it.Sub(lo), sums[m])
			}
		})
		for m := range sums {
			e.leave(m, held, lo, sums[m])
		}
	}
	if e.held == 1 {
		tile(e.k.I32(0))
		return
	}
	e.k.For(0, e.held, 1, tile)
}

// one multiplies an iteration of a tile of weight m: that with number at of those whose x is staged.
// The words that follow, those at the cursor, take the place of those at hand as soon as these
// have been used: they have until these words' turn comes again to arrive, and no register has to
// be copied, which would wait for them.
func (e *streaming) one(m int, at codegen.I32, to sums) {
	w := e.weights[m]
	chunk := e.st.data.Elem(at.Mul(e.iterChunks()*e.slots), rowBytes)
	for q := range e.quantum {
		words := make([]codegen.I32, w.words())
		for i := range words {
			words[i] = e.words[m][q*w.words()+i].Get()
		}
		n := e.follows(m)
		next := e.unit(n, q)
		if len(e.weights) == 1 {
			next = next.Placed()
		}
		used := func(c int) {
			if c&1 == 1 || !e.tellsApart(w) { // keeps the assembler from having all operands ready first
				e.k.SyncWarp()
			}
			e.refill(n, q, next, func(p part) bool { return p.count > 0 && p.first+p.count-1 == c })
		}
		chunk := chunk.At(q * w.chunks() * e.slots * rowBytes)
		switch {
		case e.tellsApart(w):
			e.apartUnit(w.apart(e.k, words), at, to, used)
		case w.whole != nil:
			e.wholeUnit(w.whole(e.k, words), chunk, at, to, used)
		default:
			e.steps(w.open(e.k, words), w.chunks(), chunk, to, used)
		}
		e.refill(n, q, next, func(p part) bool { return p.count == 0 })
	}
}
