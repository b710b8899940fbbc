package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/runtime/plan"
)

// sampleToken: the token that follows the last live row, chosen as runtime/sample defines, bit for
// bit; then hist[token]++. One block: warp w has ids [w*chunk, (w+1)*chunk). Where no choice is
// possible (a NaN or +Inf among the logits, everything masked) the token is -1 and hist stays.
func sampleToken(s *codegen.Spec) (Kernel, error) {
	return Kernel{codegen.Line(1, sampleThreads), func(k *codegen.K) {
		d := newDraw(k, s)
		bad := codegen.Let(k.I32(0))
		best, at := codegen.Let(k.I32(minusInfinity)), codegen.Let(k.I32(-1))
		d.ids(func(id codegen.I32, ok codegen.Pred) {
			x, broken := d.logit(id, ok)
			bad.Set(codegen.Select(broken, k.I32(1), bad.Get()))
			key := sortKey(x)
			better := key.UMax(best.Get()).Ne(best.Get()) // ids ascend: the first of equals stays
			best.Set(codegen.Select(better, key, best.Get()))
			at.Set(codegen.Select(better, id, at.Get()))
		})
		top, token := d.largest(best.Get(), at.Get())
		broken := d.anyOf(bad.Get().Ne(0))
		chosen := codegen.Let(token)
		k.If(broken.Or(token.Lt(0)), func() { chosen.Set(k.I32(-1)) })
		k.If(d.temperature.Ne(0).And(chosen.Get().Ge(0)), func() {
			chosen.Set(d.random(floatOf(top)))
		})
		k.If(k.Thread().Eq(0), func() {
			id := chosen.Get()
			out := k.Arg(4)
			out.StI64(k.Ctl().At(plan.CtlLen).LdI64())
			out.At(plan.CtlToken - plan.CtlRNG).StI32(id)
			k.If(id.Ge(0), func() {
				h := k.Arg(3).Elem(id.UMin(d.vocab-1), 4)
				h.StI32(h.LdI32().Add(1))
			})
		})
	}}, nil
}

const (
	sampleThreads = 1024
	sampleWarps   = sampleThreads / 32
)

// draw is one run of the sampler.
type draw struct {
	k           *codegen.K
	vocab       int
	chunk       int         // ids per warp, a multiple of 32
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
	d := &draw{k: k, vocab: logits.Width(), logits: k.Arg(0), mask: k.Arg(2).ReadOnly(), hist: k.Arg(3), weights: k.Arg(5)}
	d.chunk = ceilDiv(d.vocab, sampleThreads) * 32
	if rows := logits.Shape[0]; rows > 1 {
		d.logits = d.logits.Elem(k.Rows(s.Rows).Sub(1).Clamp(0, rows-1), d.vocab*f32)
	}
	d.temperature = d.param(plan.SmpTemp).And(math.MaxInt32) // -0 is 0
	d.penalty = d.param(plan.SmpPenalty).AsF32()
	d.slots = k.Shared("slots", sampleWarps*8)
	d.mass = k.Shared("mass", digitSize*8)
	d.found = k.Shared("found", 16)
	return d
}

func (d *draw) param(at int) codegen.I32 { return d.k.Arg(1).ReadOnly().At(at).LdI32() }

// ids runs body for every id of this thread, ascending; ok is false past the vocabulary, where
// the id is the last one.
func (d *draw) ids(body func(id codegen.I32, ok codegen.Pred)) {
	k := d.k
	first := k.Warp().Mul(d.chunk).Add(k.Lane())
	k.For(0, d.chunk, 32, func(i codegen.I32) {
		id := first.Add(i)
		body(id.Min(d.vocab-1), id.Lt(d.vocab))
	})
}

// logit returns the logit of an id with the repetition penalty, minus infinity when it is
// masked, and whether it is one that no model may give.
func (d *draw) logit(id codegen.I32, ok codegen.Pred) (x codegen.F32, broken codegen.Pred) {
	k := d.k
	x = d.logits.Elem(id, f32).LdF32()
	out := ok.Not().Or(d.mask.At(id).LdU8().Ne(0))
	broken = x.Le(math.MaxFloat32).Not().And(out.Not())
	penal := d.penalty.Eq(1).Not()
	seen := d.hist.Elem(id, 4).When(penal).LdI32().Gt(0).And(penal)
	p := codegen.Select(x.Gt(0), x.Div(d.penalty), x.Mul(d.penalty)).Min(math.MaxFloat32).Max(-math.MaxFloat32)
	x = codegen.Select(seen, p, x)
	return codegen.Select(out, k.F32(math.Inf(-1)), x), broken
}

// largest returns the largest key of all threads and the lowest id that has it.
func (d *draw) largest(key, id codegen.I32) (codegen.I32, codegen.I32) {
	k := d.k
	reduce := func(key, id codegen.I32) (codegen.I32, codegen.I32) {
		best := k.WarpMaxU32(key)
		return best, k.WarpMinU32(codegen.Select(key.Eq(best), id, k.I32(-1)))
	}
	key, id = reduce(key, id)
	k.If(k.Lane().Eq(0), func() { d.slots.Elem(k.Warp(), 8).StI32s(key, id) })
	k.Sync()
	of := d.slots.Elem(k.Lane(), 8).LdI32s(2)
	key, id = reduce(of[0], of[1])
	k.Sync() // slots are free again
	return key, id
}

// anyOf says whether p holds in some thread.
func (d *draw) anyOf(p codegen.Pred) codegen.Pred {
	sum, _ := d.sums(codegen.Select(p, d.k.I64(1), d.k.I64(0)))
	return sum.Ne(0)
}

// floatOf undoes sortKey.
func floatOf(key codegen.I32) codegen.F32 {
	return key.Xor(key.Sar(31).Xor(-1).Or(-1 << 31)).AsF32()
}
