package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/ir/ops"
)

// weights returns the weights of n neighbouring ids; top is the largest logit.
func (d *sampler) weights(first codegen.I32, n int, top codegen.F32) []codegen.I64 {
	xs, _ := d.values(first, n)
	return d.weigh(xs, top)
}

// weigh returns the weights of logits.
func (d *sampler) weigh(xs []codegen.F32, top codegen.F32) []codegen.I64 {
	inv := d.k.F32(1).Div(d.temperature.AsF32())
	ws := make([]codegen.I64, len(xs))
	for j, x := range xs { // minus infinity past the vocabulary: weight 0
		ws[j] = weight(d.k, x.Sub(top).Mul(inv))
	}
	return ws
}

// least is the smallest weight that min-p leaves: its share of the largest, which is 2^32.
func (d *sampler) least() codegen.I64 { return d.minP.Mul(1 << 32).CeilU64() }

// scan adds x over the threads before this one, and over all of the block; only the first so
// many threads have any. Shuffles of 64 bits are what it takes time for, so one warp alone adds
// up what the others have.
func (d *sampler) scan(x codegen.I64, threads int) (before, total codegen.I64) {
	k, busy := d.k, ceilDiv(threads, 32)
	upTo := codegen.Let(x)
	own := func() {
		upTo.Set(scan64(k, x))
		k.If(k.Lane().Eq(31), func() { d.slots.Elem(k.Warp(), 8).StI64(upTo.Get()) })
	}
	if busy < d.warps {
		k.If(k.Warp().Lt(busy), own)
	} else {
		own()
	}
	k.Sync()
	k.If(k.Warp().Eq(0), func() {
		part := d.slots.Elem(k.Lane().Min(busy-1), 8).LdI64()
		part = codegen.Select(k.Lane().Lt(busy), part, k.I64(0))
		sum := scan64(k, part)
		d.sums.Elem(k.Lane(), 8).StI64(sum.Sub(part))
		k.If(k.Lane().Eq(31), func() { d.sums.At(32 * 8).StI64(sum) })
	})
	k.Sync()
	return d.sums.Elem(k.Warp(), 8).LdI64().Add(upTo.Get()).Sub(x), d.sums.At(32 * 8).LdI64()
}

// fine is the number of bits that tell buckets of an octave apart.
const fine = 4

// bucket is runtime/sample's. That of weight 0 means nothing.
func bucket(w codegen.I64) codegen.I32 {
	k := codegen.KernelOf(w)
	x := codegen.Select(w.High().Ne(0), k.I32(-1), w.I32()).UMax(1)
	zeros := x.Clz()
	part := x.Shl(zeros).Shr(31 - fine).And(1<<fine - 1)
	return k.I32(31).Sub(zeros).Shl(fine).Or(part).Clamp(0, ops.SampleBuckets-1)
}

// edge is the lowest rank of a bucket, ceiling the highest.
func edge(bucket codegen.I32) codegen.I64 {
	part := bucket.And(1<<fine - 1).Add(1 << fine).I64()
	return part.Shl(bucket.Shr(fine).I64()).Add(1<<fine - 1).Shr(fine).Shl(rankBits)
}

func ceiling(bucket codegen.I32) codegen.I64 {
	k := codegen.KernelOf(bucket)
	top := codegen.Select(bucket.Eq(ops.SampleBuckets-1), k.I64(1<<rankBits), k.I64(0)) // weight 2^32 as well
	return edge(bucket.Add(1)).Sub(1).Add(top)
}

// rank orders ids as runtime/sample does: by weight, then the lower id first.
func rank(w codegen.I64, id codegen.I32) codegen.I64 {
	return w.Shl(rankBits).Or(codegen.KernelOf(w).I32(1<<rankBits - 1).Sub(id).And(1<<rankBits - 1).I64())
}

const rankBits = 20 // of an id

// weight is runtime/sample's fixed-point exponential of x <= 0 in units of 2^-32, the same
// operations in the same order.
func weight(k *codegen.K, x codegen.F32) codegen.I64 {
	t := x.Mul(float32(math.Log2E))
	n := t.Trunc()
	n = n.Sub(n.F32().Gt(t).I32())
	f := t.Sub(n.F32())
	p := k.F32(expCoef[6])
	for i := 5; i >= 0; i-- {
		p = p.Mul(f).Add(expCoef[i])
	}
	m := p.Bits().And(0x7fffff).Or(0x800000)
	m = codegen.Select(p.Ge(2), k.I32(1<<24), m)
	up := m.I64().Shl(n.Add(9).Clamp(0, 31).I64())
	shift := n.Neg().Sub(9).Clamp(1, 31)
	down := m.Add(k.I32(1).Shl(shift.Sub(1))).Shr(shift).I64()
	w := codegen.Select(n.Ge(-9), up, down)
	return codegen.Select(t.Ge(-33), w, k.I64(0))
}

// expCoef are the coefficients of 2^f on [0, 1], as in runtime/sample.
var expCoef = [7]float64{
	1, 0x1.62e42cp-1, 0x1.ebfd6cp-3, 0x1.c6851p-5, 0x1.3d3bd4p-7, 0x1.451814p-10, 0x1.cacdf6p-13,
}

// share returns p of total, rounded up: p counts as ceil(p * 2^32) parts of 2^32.
func share(p codegen.F32, total codegen.I64) codegen.I64 {
	parts := p.Mul(1 << 32).CeilU64()
	hi, lo := parts.MulHi(total), parts.Mul(total)
	sum := lo.Add(1<<32 - 1)
	return hi.Add(one64(codegen.KernelOf(p), sum.ULt(lo))).Shl(32).Or(sum.Shr(32))
}

// philox returns the 64 random bits of a position under a seed: Philox4x32-10, see
// runtime/sample.
func philox(k *codegen.K, seed, pos codegen.I64) codegen.I64 {
	c := [4]codegen.I32{pos.I32(), pos.High(), k.I32(0), k.I32(0)}
	k0, k1 := seed.I32(), seed.High()
	for range 10 {
		a := c[0].I64().Mul(0xD2511F53)
		b := c[2].I64().Mul(0xCD9E8D57)
		c = [4]codegen.I32{b.High().Xor(c[1]).Xor(k0), b.I32(), a.High().Xor(c[3]).Xor(k1), a.I32()}
		k0, k1 = k0.Add(0x9E3779B9), k1.Add(0xBB67AE85)
	}
	return k.Join(c[0], c[1])
}
