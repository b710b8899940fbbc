package kernels

import (
	"fmt"
	"math"

	"dsac/codegen"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// The choice of a token takes four kernels, as runtime/sample defines its parts: three whose
// blocks have a run of ids each, and one block at the end. Greedy choice needs the first and the
// last; those between leave at once.

// sampleThreads is the number of threads of the blocks that have a run of ids; a thread has
// sampleEach neighbouring ones.
const (
	sampleThreads = 512
	sampleEach    = ops.SampleBlock / sampleThreads
)

// sampler is what the kernels of a choice know. All sums are of integers.
type sampler struct {
	k             *codegen.K
	vocab, blocks int
	logits        codegen.Ptr // of the row to choose from
	mask, hist    codegen.Ptr
	temperature   codegen.I32 // bits of a float; 0: greedy
	topK          codegen.I32 // 0: off
	topP, minP    codegen.F32
	penalty       codegen.F32
	warps         int
	slots         codegen.Ptr // shared: 8 bytes per warp
	sums          codegen.Ptr // shared: of the warps before one, and of all
}

// sampleTypes are the types of their operands; more are bytes that they pass on.
func sampleTypes(more ...string) map[string]string {
	types := map[string]string{"params": "u8", "mask": "u8", "hist": "i32"}
	for _, name := range more {
		types[name] = "u8"
	}
	return types
}

// mostBlocks is the largest number of blocks: the last kernel has a thread for each.
const mostBlocks = 1024

func samplerKernel(s *codegen.Spec, threads, blocks, hist int, emit func(d *sampler)) (Kernel, error) {
	vocab := s.Operands[0].Width()
	runs := ceilDiv(vocab, ops.SampleBlock)
	if runs > mostBlocks {
		return Kernel{}, fmt.Errorf("%d logits, at most %d", vocab, mostBlocks*ops.SampleBlock)
	}
	if blocks == 0 {
		blocks = runs
	}
	return Kernel{Launch: codegen.Line(blocks, threads), Emit: func(k *codegen.K) {
		k.MinBlocks(1)
		d := &sampler{k: k, vocab: vocab, blocks: runs, logits: k.Arg(0), mask: k.Arg(2), hist: k.Arg(hist), warps: threads / 32}
		if s.Operands[0].Shape[0] > 1 {
			d.logits = d.logits.Elem(k.LastRow(), vocab*f32)
		}
		p := k.Arg(1).At(plan.SmpTemp).LdI32x4()
		d.temperature = p[0].And(math.MaxInt32) // -0 is 0
		d.topK, d.topP, d.minP = p[1], p[2].AsF32(), p[3].AsF32()
		d.penalty = k.Arg(1).At(plan.SmpPenalty).LdI32().AsF32()
		d.slots, d.sums = k.Shared("slots", d.warps*8), k.Shared("sums", 33*8)
		emit(d)
	}}, nil
}

// first returns the first id of the thread, in kernels whose blocks have a run each.
func (d *sampler) first() codegen.I32 {
	return d.k.BlockX().Mul(ops.SampleBlock).Add(d.k.Thread().Mul(sampleEach))
}

// restricted says whether top-k or top-p leave ids out.
func (d *sampler) restricted() codegen.Pred { return d.topK.Gt(0).Or(d.topP.Lt(1)) }

// values loads n neighbouring logits and returns them with the penalty, minus infinity where an
// id is masked or past the vocabulary; bad says whether one is such as no model may give.
func (d *sampler) values(first codegen.I32, n int) (xs []codegen.F32, bad codegen.Pred) {
	k := d.k
	wide := 1
	if d.vocab%n == 0 {
		wide = n
	}
	bad = k.Bool(false)
	for i := 0; i < n; i += wide {
		id := first.Add(i)
		ok, at := id.Lt(d.vocab), id.Min(d.vocab-wide)
		out := d.mask.At(at).When(ok)
		var masked codegen.I32 // a byte per id, not 0 when it is masked
		switch wide {
		case 4:
			masked = out.LdI32()
		case 2:
			masked = out.LdU16()
		default:
			masked = out.LdU8()
		}
		x := d.logits.Elem(at, f32).When(ok).LdF32s(wide)
		for j := range x {
			in := ok.And(masked.And(255 << (8 * j)).Eq(0))
			bad = bad.Or(x[j].Le(math.MaxFloat32).Not().And(in))
			x[j] = codegen.Select(in, x[j], k.F32(math.Inf(-1)))
		}
		xs = append(xs, d.penalised(at, ok, x)...)
	}
	return xs, bad
}

// penalised makes the logits of ids that occurred less likely; minus infinity stays.
func (d *sampler) penalised(at codegen.I32, ok codegen.Pred, xs []codegen.F32) []codegen.F32 {
	vars := make([]*codegen.Var[codegen.F32], len(xs))
	for j, x := range xs {
		vars[j] = codegen.Let(x)
	}
	d.k.If(d.penalty.Eq(1).Not(), func() {
		seen := d.hist.Elem(at, 4).When(ok).LdI32s(len(xs))
		for j, x := range xs {
			p := codegen.Select(x.Gt(0), x.Div(d.penalty), x.Mul(d.penalty)).Min(math.MaxFloat32).Max(-math.MaxFloat32)
			vars[j].Set(codegen.Select(seen[j].Gt(0).And(x.Ge(-math.MaxFloat32)), p, x))
		}
	})
	return values(vars)
}

// best is a logit's sort key and its id.
type best struct{ key, id codegen.I32 }

// better returns the one with the larger key, of equals a.
func (a best) better(b best) best {
	less := a.key.ULt(b.key)
	return best{codegen.Select(less, b.key, a.key), codegen.Select(less, b.id, a.id)}
}

// most returns the best of the threads of a block, the lowest id of equals.
func (d *sampler) most(b best) best {
	k := d.k
	reduce := func(b best) best {
		key := k.WarpMaxU32(b.key)
		return best{key, k.WarpMinU32(codegen.Select(b.key.Eq(key), b.id, k.I32(-1)))}
	}
	b = reduce(b)
	k.If(k.Lane().Eq(0), func() { d.slots.Elem(k.Warp(), 8).StI32x2([2]codegen.I32{b.key, b.id}) })
	k.Sync()
	of := d.slots.Elem(k.Lane().Min(d.warps-1), 8).LdI32x2()
	k.Sync() // slots are free again
	return reduce(best{of[0], of[1]})
}

// Peaks are stored as one number that sorts alike: key above, the id's complement below.
func (b best) store(p codegen.Ptr) { p.StI32x2([2]codegen.I32{b.id.Xor(-1), b.key}) }

// peak returns the best of all blocks; possible says whether there is a choice: no logit is
// broken, and one is not minus infinity.
func (d *sampler) peak(peaks codegen.Ptr) (b best, possible codegen.Pred) {
	k := d.k
	key, id := codegen.Let(k.I32(0)), codegen.Let(k.I32(-1))
	k.Each(k.Thread(), 32*d.warps, d.blocks, func(i codegen.I32) {
		p := peaks.Elem(i, 8).LdI32x2()
		b := best{key.Get(), id.Get()}.better(best{p[1], p[0].Xor(-1)})
		key.Set(b.key)
		id.Set(b.id)
	})
	b = d.most(best{key.Get(), id.Get()})
	return b, b.key.Ne(brokenKey).And(k.I32(minusInfinity).ULt(b.key))
}

// brokenKey is above the key of any number.
const brokenKey = -1
