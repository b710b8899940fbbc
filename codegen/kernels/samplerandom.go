package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/runtime/plan"
)

// random draws an id: weights of all, restrictions, then the id at a random point of the sum.
// top is the largest logit.
func (d *draw) random(top codegen.F32) codegen.I32 {
	k := d.k
	count, total := d.weigh(top)
	sum := codegen.Let(total)
	limit := d.param(plan.SmpTopK)
	k.If(limit.Gt(0).And(limit.S64().Lt(count)), func() {
		sum.Set(d.keep(limit.S64(), false))
	})
	topP := d.param(plan.SmpTopP).AsF32()
	k.If(topP.Lt(1), func() {
		sum.Set(d.keep(share(topP, sum.Get()), true))
	})
	minP := d.param(plan.SmpMinP).AsF32()
	k.If(minP.Gt(0), func() {
		sum.Set(d.drop(share(minP, k.I64(1<<32))))
	})
	seed := k.Arg(1).At(plan.SmpSeed).LdI64()
	u := philox(k, seed, k.Ctl().At(plan.CtlLen).LdI64())
	return d.at(u.MulHi(sum.Get()))
}

// weigh makes the weights of all ids; it returns how many are not 0, and their sum.
func (d *draw) weigh(top codegen.F32) (count, total codegen.I64) {
	k := d.k
	inv := k.F32(1).Div(d.temperature.AsF32())
	n, sum := codegen.Let(k.I64(0)), codegen.Let(k.I64(0))
	d.vectors(sampleUnroll/2, func(vs []vec) {
		for i, xs := range d.values(vs, func(codegen.Pred) {}) {
			ws := make([]codegen.I64, len(xs))
			for j, x := range xs { // minus infinity past the vocabulary: weight 0
				ws[j] = weight(k, x.Sub(top).Mul(inv))
				n.Set(n.Get().Add(one64(k, ws[j].Ne(0))))
			}
			sum.Set(sum.Get().Add(sum64(ws)))
			d.store(vs[i], ws)
		}
	})
	count, _ = d.sums(n.Get())
	total, _ = d.sums(sum.Get())
	return count, total
}

// drop sets the weights below least to 0 and returns the sum of the others.
func (d *draw) drop(least codegen.I64) codegen.I64 {
	k := d.k
	sum := codegen.Let(k.I64(0))
	d.own(func(vs []vec, ws [][]codegen.I64) {
		for i, v := range vs {
			for j, w := range ws[i] {
				ws[i][j] = codegen.Select(w.ULt(least), k.I64(0), w)
			}
			sum.Set(sum.Get().Add(sum64(ws[i])))
			d.store(v, ws[i])
		}
	})
	total, _ := d.sums(sum.Get())
	return total
}

// at returns the first id at which the running sum of weights exceeds point: the warp whose
// part of the sum holds the point looks through its ids.
func (d *draw) at(point codegen.I64) codegen.I32 {
	k := d.k
	sum := codegen.Let(k.I64(0))
	d.own(func(_ []vec, ws [][]codegen.I64) {
		for _, w := range ws {
			sum.Set(sum.Get().Add(sum64(w)))
		}
	})
	mine := warpSum64(k, sum.Get())
	_, before := d.sums(sum.Get())
	k.If(before.ULt(point.Add(1)).And(point.ULt(before.Add(mine))), func() {
		run := codegen.Let(before)
		d.own(func(vs []vec, ws [][]codegen.I64) {
			for i, v := range vs {
				upTo := run.Get().Add(scan64(k, sum64(ws[i])))
				from := upTo.Sub(sum64(ws[i]))
				for j, w := range ws[i] {
					to := from.Add(w)
					k.If(point.ULt(to).And(point.UGe(from)), func() { d.found.StI32(d.id(v, j)) })
					from = to
				}
				run.Set(last64(upTo))
			}
		})
	})
	k.Sync()
	return d.found.LdI32()
}

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
