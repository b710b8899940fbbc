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
	inv := k.F32(1).Div(d.temperature.AsF32())
	d.ids(func(id codegen.I32, ok codegen.Pred) {
		x, _ := d.logit(id, ok)
		d.weights.Elem(id, 8).When(ok).StI64(weight(k, x.Sub(top).Mul(inv)))
	})
	count, total := d.tally()
	limit := d.param(plan.SmpTopK)
	sum := codegen.Let(total)
	k.If(limit.Gt(0).And(limit.S64().Lt(count)), func() {
		d.keep(limit.S64(), false)
		_, t := d.tally()
		sum.Set(t)
	})
	topP := d.param(plan.SmpTopP).AsF32()
	k.If(topP.Lt(1), func() {
		d.keep(share(topP, sum.Get()), true)
		_, t := d.tally()
		sum.Set(t)
	})
	minP := d.param(plan.SmpMinP).AsF32()
	k.If(minP.Gt(0), func() {
		least := share(minP, k.I64(1<<32))
		d.ids(func(id codegen.I32, ok codegen.Pred) {
			w := d.weights.Elem(id, 8)
			w.When(ok.And(w.When(ok).LdI64().ULt(least))).StI64(k.I64(0))
		})
		_, t := d.tally()
		sum.Set(t)
	})
	seed := k.Arg(1).ReadOnly().At(plan.SmpSeed).LdI64()
	u := philox(k, seed, k.Ctl().At(plan.CtlLen).LdI64())
	return d.at(u.MulHi(sum.Get()))
}

// tally returns how many ids have a weight, and the sum of the weights.
func (d *draw) tally() (count, total codegen.I64) {
	k := d.k
	n, sum := codegen.Let(k.I64(0)), codegen.Let(k.I64(0))
	d.own(func(_ codegen.I32, w codegen.I64) {
		sum.Set(sum.Get().Add(w))
		n.Set(n.Get().Add(codegen.Select(w.Ne(0), k.I64(1), k.I64(0))))
	})
	count, _ = d.sums(n.Get())
	total, _ = d.sums(sum.Get())
	return count, total
}

// own runs body for the ids of this thread with their weights, 0 past the vocabulary.
func (d *draw) own(body func(id codegen.I32, w codegen.I64)) {
	d.ids(func(id codegen.I32, ok codegen.Pred) {
		body(id, d.weights.Elem(id, 8).When(ok).LdI64())
	})
}

// at returns the first id at which the running sum of weights exceeds point: the warp whose
// part of the sum holds the point looks through its ids.
func (d *draw) at(point codegen.I64) codegen.I32 {
	k := d.k
	sum := codegen.Let(k.I64(0))
	d.own(func(_ codegen.I32, w codegen.I64) { sum.Set(sum.Get().Add(w)) })
	mine := warpSum64(k, sum.Get())
	_, before := d.sums(sum.Get())
	k.If(before.ULt(point.Add(1)).And(point.ULt(before.Add(mine))), func() {
		run := codegen.Let(before)
		d.own(func(id codegen.I32, w codegen.I64) {
			upTo := run.Get().Add(scan64(k, w))
			k.If(point.ULt(upTo).And(point.UGe(upTo.Sub(w))), func() { d.found.StI32(id) })
			run.Set(last64(upTo))
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
	carry := codegen.Select(sum.ULt(lo), codegen.KernelOf(p).I64(1), codegen.KernelOf(p).I64(0))
	return hi.Add(carry).Shl(32).Or(sum.Shr(32))
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
