package product

import (
	"math"

	"dsac/codegen"
	"dsac/runtime/plan"
)

// stage moves rows of x to shared memory as f16:
//
//	chunk c, row n, run s: 16 bytes at (c*slots + n)*128 + 16*(s ^ 4*(n&1) ^ 2*turn(c))
//
// so that the 16-byte loads and stores of eight neighbouring lanes meet different banks. Each row has a
// factor, a power of two; it is 1 unless the row's largest magnitude is 2^14 or more.
type stage struct {
	*job
	b       bound
	slots   int // rows that there is room for
	limit   int // rows that b has at most
	threads int
	counts  codegen.Pred // this block counts rows that overflow
	data    codegen.Ptr  // shared
	factor  codegen.Ptr  // f32 per row: factor, then inverse
	flag    codegen.Ptr  // u32: not 0 when a row needs another factor
	part    codegen.Ptr  // f32 per warp
	sums    *codegen.Ptr // of groups of columns, see stage_sums.go; nil where nobody needs them
	apart   bool         // sums are those that groups told apart need
	own     *span        // columns that the block stages, nil: all
}

// stageBytes is the shared memory besides the data.
func stageBytes(slots, threads int) int { return 8*slots + 16 + threads/32*4 }

// place divides the memory at p.
func (s *stage) place(p codegen.Ptr) {
	s.factor = p
	s.flag = p.At(8 * s.slots)
	s.part = p.At(8*s.slots + 16)
}

// reset sets all factors to 1. A barrier must follow.
func (s *stage) reset(k *codegen.K) {
	for i := 0; i < 2*s.slots; i += s.threads {
		k.If(k.Thread().Add(i).Lt(2*s.slots), func() { s.factor.Elem(k.Thread().Add(i), f32).StF32(k.F32(1)) })
	}
	k.If(k.Thread().Eq(0), func() { s.flag.StI32(k.I32(0)) })
}

// run is eight columns of a row: where they come from and go to.
type run struct {
	n, seg codegen.I32 // row, segment
	x      [runCols]codegen.F32
	gain   codegen.F32 // where segments have one
	to     codegen.Ptr
	sums   codegen.Ptr // where there are any
}

// turn is c&3 where neighbouring runs of a row go to the four chunks of a unit, otherwise 0.
func (s *stage) turn(c codegen.I32) codegen.I32 {
	if s.weights[0].spread() {
		return c.And(3)
	}
	return c.And(0)
}

// source finds run i of a row's chunks from c0 on: its chunk counted from c0, its place there,
// and its number in the row. Neighbouring threads take neighbouring runs.
func (s *stage) source(i, c0 codegen.I32) (chunk, slot, src codegen.I32) {
	src = c0.Shl(3).Add(i)
	if s.weights[0].spread() {
		return i.Shr(5).Shl(2).Or(i.And(3)), i.Shr(2).And(7), src
	}
	return i.Shr(3), i.And(7), src
}

// load starts loading run i of the chunks [c0, c0+n) of all rows, rows first.
func (s *stage) load(k *codegen.K, i, c0 codegen.I32, n int) (r run) {
	per := n * chunkCols / runCols
	inside := i.Lt(per * s.slots)
	i = i.UMin(per*s.slots - 1)
	row := k.I32(0)
	if s.slots > 1 {
		row = i.UDiv(per)
		i = i.Sub(row.Mul(per))
	}
	chunk, slot, src := s.source(i, c0)
	slot = slot.Xor(row.And(1).Shl(2)).Xor(s.turn(chunk).Shl(1))
	r.n = row
	r.to = s.data.Elem(chunk.Mul(s.slots).Add(row), rowBytes).Elem(slot, 16).When(inside)
	if s.sums != nil {
		r.sums = s.sumPlace(i, row, inside)
	}
	s.read(k, &r, src, k.Bool(true)) // outside it is the last run once more
	return r
}

// read starts loading run src of the row.
func (s *stage) read(k *codegen.K, r *run, src codegen.I32, inside codegen.Pred) {
	r.seg = k.I32(0)
	if s.segs > 1 {
		r.seg = src.UDiv(s.segRuns())
		src = src.Sub(r.seg.Mul(s.segRuns()))
	}
	if s.b.gain != nil {
		r.gain = s.b.gain(r.n.Min(s.limit-1), r.seg.UMin(s.segs-1))
	}
	ok := inside.And(r.n.Lt(s.b.live))
	col := src.Mul(runCols)
	p := s.b.row(r.n.Min(s.limit-1)).Elem(r.seg.UMin(s.segs-1), s.cols()*f32).Fixed()
	if s.cols()%runCols == 0 && s.wide {
		if s.cols() != s.segRuns()*runCols {
			ok = ok.And(col.Lt(s.cols()))
		}
		p = p.Elem(col.UMin(s.cols()-runCols), f32)
		for h := range 2 {
			x := p.At(16 * h).When(ok).LdF32x4()
			copy(r.x[4*h:], x[:])
		}
		return
	}
	for e := range r.x {
		c := col.Add(e)
		r.x[e] = p.Elem(c.UMin(s.cols()-1), f32).When(ok.And(c.Lt(s.cols()))).LdF32()
	}
}

// put rounds a run, scaled, and returns its largest magnitude, or largest if that is more.
func (s *stage) put(k *codegen.K, r *run, largest codegen.F32) codegen.F32 {
	f := s.factor.Elem(r.n, f32).LdF32()
	if s.b.gain != nil {
		f = f.Mul(r.gain)
	}
	for e := range r.x {
		r.x[e] = r.x[e].Mul(f)
		largest = largest.Max(r.x[e].Abs())
	}
	var w [4]codegen.I32
	for i := range w {
		w[i] = k.PackH2(r.x[2*i], r.x[2*i+1]).Bits()
	}
	r.to.StI32x4(w)
	if s.sums != nil {
		s.putSums(k, r.sums, w)
	}
	return largest
}

// note raises the flag for a magnitude that f16 cannot be trusted with.
func (s *stage) note(k *codegen.K, largest codegen.F32) {
	k.If(largest.Ge(float64(plan.HalfBig)), func() { s.flag.AtomicOr(k.I32(1)) })
}

// move stages chunks [c0, c0+n). A barrier must follow.
func (s *stage) move(k *codegen.K, c0 codegen.I32, n int) {
	total := n * chunkCols / runCols * s.slots
	each := ceilDiv(total, s.threads) // runs of a thread
	some := ceilDiv(each, ceilDiv(each, s.atOnce()))
	largest := codegen.Let(k.F32(0))
	k.For(0, total, some*s.threads, func(base codegen.I32) {
		rs := make([]run, some)
		for u := range rs {
			rs[u] = s.load(k, base.Add(u*s.threads).Add(k.Thread()), c0, n)
		}
		for u := range rs {
			largest.Set(s.put(k, &rs[u], largest.Get()))
		}
	})
	s.note(k, largest.Get())
}

// atOnce is how many runs of a thread are under way at once. Twice as many take a block of a cluster
// 3 % less time; others have no registers for them.
func (s *stage) atOnce() int {
	if s.own == nil || s.slots > 8 {
		return 4
	}
	return 8
}

// flagged says whether a row needs another factor.
func (s *stage) flagged(k *codegen.K) codegen.Pred { return s.flag.LdI32().Ne(0) }

// exact finds the factors: the largest magnitude of a row, or of what the block stages of it, comes
// into [2^13, 2^14). Rows that hold an infinity keep 1 and are counted once.
func (s *stage) exact(k *codegen.K) {
	k.For(0, s.b.live, 1, func(n codegen.I32) {
		largest := codegen.Let(k.F32(0))
		k.Each(k.I32(0), 1, s.segs, func(seg codegen.I32) {
			gain := k.F32(1)
			if s.b.gain != nil {
				gain = s.b.gain(n, seg)
			}
			p := s.b.row(n).Elem(seg, s.cols()*f32).Fixed()
			k.For(k.Thread(), s.cols(), s.threads, func(c codegen.I32) {
				v := p.Elem(c, f32).LdF32().Mul(gain).Abs()
				if s.own != nil {
					v = s.own.magnitude(k, c, v)
				}
				largest.Set(largest.Get().Max(v))
			})
		})
		m := k.WarpMax(largest.Get())
		k.Sync()
		k.If(k.Lane().Eq(0), func() { s.part.Elem(k.Warp(), f32).StF32(m) })
		k.Sync()
		for w := range s.threads / 32 {
			m = m.Max(s.part.At(w * f32).LdF32())
		}
		k.If(k.Thread().Eq(0), func() {
			e := m.Bits().Shr(23)
			infinite, counts := e.Ge(255), s.counts
			if s.own != nil {
				infinite, counts = m.Ge(math.MaxFloat32), counts.And(m.Le(math.MaxFloat32))
			}
			k.If(m.Ge(float64(plan.HalfBig)), func() {
				k.If(infinite.Not(), func() {
					s.factor.Elem(n, f32).StF32(k.I32(267).Sub(e).Shl(23).AsF32())
					s.factor.Elem(n.Add(s.slots), f32).StF32(e.Sub(13).Shl(23).AsF32())
				})
				k.If(infinite.And(counts), func() { k.Ctl().At(plan.CtlOverflow).Count(k.I32(1)) })
			})
		})
	})
	k.Sync()
}

// inverse is what a result of row n is multiplied by.
func (s *stage) inverse(n codegen.I32) codegen.F32 { return s.factor.Elem(n.Add(s.slots), f32).LdF32() }

// columns gives the B operands of a lane: for eight rows and two steps at a time.
type columns struct {
	spread bool
	off    codegen.I32 // of run t in a chunk
}

// reader prepares the lane's addresses. With fewer than eight rows the others repeat.
func (s *stage) reader(k *codegen.K) columns {
	n := k.Lane().Shr(2).And(min(8, s.slots) - 1)
	t := k.Lane().And(3)
	return columns{s.weights[0].spread(), n.Mul(rowBytes).Add(t.Xor(n.And(1).Shl(2)).Shl(4))}
}

// load reads the operands of steps 2h and 2h+1 of chunk c of a unit for rows 8*group and on.
func (x columns) load(chunk codegen.Ptr, c, group, h int) [2][2]codegen.I32 {
	w := chunk.At(x.off.Xor(x.turned(c, h))).At(group * 8 * rowBytes).LdI32x4()
	return [2][2]codegen.I32{{w[0], w[1]}, {w[2], w[3]}}
}

// turned is what off is changed by for run t (h = 0) or t+4 in chunk c.
func (x columns) turned(c, h int) int {
	if x.spread {
		return 32 * (c ^ 2*h)
	}
	return 64 * h
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func elems(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
