package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/runtime/plan"
)

const (
	sampleThreads = 1024
	sampleWarps   = sampleThreads / 32
	sampleUnroll  = 4 // vectors that a thread loads before it looks at the first, at most
)

// draw is one run of the sampler. Each warp has a run of ids; a lane has vectors of it, 32
// vectors apart.
type draw struct {
	k           *codegen.K
	vocab       int
	width       int         // ids of a vector: 4 or 1
	steps       int         // vectors of a thread, a multiple of sampleUnroll, and of skimUnroll where it skims
	logits      codegen.Ptr // of the row to draw from
	mask        codegen.Ptr
	hist        codegen.Ptr
	weights     codegen.Ptr // u64 per id, scratch
	temperature codegen.I32 // bits of a float; 0 = greedy
	penalty     codegen.F32
	slots       codegen.Ptr // shared: a u64 per warp
	mass        codegen.Ptr // shared: histogram of one digit
	found       codegen.Ptr // shared: what one thread tells the others
}

func newDraw(k *codegen.K, s *codegen.Spec) *draw {
	logits := s.Operands[0]
	d := &draw{k: k, vocab: logits.Width(), width: 1, logits: k.Arg(0), mask: k.Arg(2), hist: k.Arg(3), weights: k.Arg(5)}
	if d.vocab%4 == 0 {
		d.width = 4
	}
	unroll := sampleUnroll
	if d.skims() {
		unroll = skimUnroll
	}
	d.steps = ceilDiv(d.vocab/d.width, sampleThreads*unroll) * unroll
	if logits.Shape[0] > 1 {
		d.logits = d.logits.Elem(k.LastRow(), d.vocab*f32)
	}
	d.temperature = d.param(plan.SmpTemp).And(math.MaxInt32) // -0 is 0
	d.penalty = d.param(plan.SmpPenalty).AsF32()
	d.slots = k.Shared("slots", sampleWarps*8)
	d.mass = k.Shared("mass", digitSize*massSize)
	d.found = k.Shared("found", 16)
	return d
}

func (d *draw) param(at int) codegen.I32 { return d.k.Arg(1).At(at).LdI32() }

// vec is a vector of neighbouring ids.
type vec struct {
	at codegen.I32  // its number, in range even if it is not ok
	ok codegen.Pred // not past the vocabulary
}

// id returns id j of a vector.
func (d *draw) id(v vec, j int) codegen.I32 { return v.at.Mul(d.width).Add(j) }

// vectors runs body for all vectors of this thread, ascending, `unroll` at a time.
func (d *draw) vectors(unroll int, body func(vs []vec)) {
	d.rounds(unroll, func(first codegen.I32) { body(d.vecs(first, unroll)) })
}

// rounds runs body with the number of this thread's first vector of each round of n.
func (d *draw) rounds(n int, body func(first codegen.I32)) {
	own := d.k.Warp().Mul(32 * d.steps).Add(d.k.Lane())
	d.k.For(0, 32*d.steps, 32*n, func(i codegen.I32) { body(own.Add(i)) })
}

// vecs are n vectors of a round.
func (d *draw) vecs(first codegen.I32, n int) []vec {
	count := d.vocab / d.width
	vs := make([]vec, n)
	for u := range vs {
		at := first.Add(32 * u)
		vs[u] = vec{at.Min(count - 1), at.Lt(count)}
	}
	return vs
}

// own is vectors with the weights of their ids, 0 past the vocabulary.
func (d *draw) own(body func(vs []vec, ws [][]codegen.I64)) {
	d.vectors(sampleUnroll/2, func(vs []vec) { // a weight takes two registers
		ws := make([][]codegen.I64, len(vs))
		for i, v := range vs {
			ws[i] = d.load(v)
		}
		body(vs, ws)
	})
}

func (d *draw) load(v vec) []codegen.I64 {
	p := d.weights.Elem(v.at, d.width*8).When(v.ok)
	if d.width == 1 {
		return []codegen.I64{p.LdI64()}
	}
	a, b := p.LdI64x2(), p.At(16).LdI64x2()
	return []codegen.I64{a[0], a[1], b[0], b[1]}
}

func (d *draw) store(v vec, ws []codegen.I64) {
	p := d.weights.Elem(v.at, d.width*8).When(v.ok)
	if d.width == 1 {
		p.StI64(ws[0])
		return
	}
	p.StI64x2([2]codegen.I64{ws[0], ws[1]})
	p.At(16).StI64x2([2]codegen.I64{ws[2], ws[3]})
}

// sums returns the sum of x over all threads of the block, and over the warps before this one.
func (d *draw) sums(x codegen.I64) (total, before codegen.I64) {
	k := d.k
	x = warpSum64(k, x)
	k.If(k.Lane().Eq(0), func() { d.slots.Elem(k.Warp(), 8).StI64(x) })
	k.Sync()
	part := d.slots.Elem(k.Lane(), 8).LdI64()
	total = warpSum64(k, part)
	before = warpSum64(k, codegen.Select(k.Lane().Lt(k.Warp()), part, k.I64(0)))
	k.Sync() // slots are free again
	return total, before
}
