package kernels

import "dsac/codegen"

// A weight has 33 bits: three digits, looked at from the top one down.
const (
	digitBits = 11
	digitSize = 1 << digitBits
	topShift  = 2 * digitBits
)

// keep sets all weights to 0 that are not in the shortest prefix, in the order (weight
// descending, id ascending), whose mass reaches goal. The mass of an id is its weight, or 1.
// A radix select, as in runtime/sample: each round narrows the cut to one digit.
func (d *draw) keep(goal codegen.I64, byWeight bool) {
	k := d.k
	left := codegen.Let(goal)
	high := codegen.Let(k.I64(0))
	for shift := topShift; shift >= 0; shift -= digitBits {
		d.count(high.Get(), shift, byWeight)
		d.cut(left.Get())
		k.Sync()
		found := d.found.LdI64x2()
		high.Set(high.Get().Shl(digitBits).Or(found[0]))
		left.Set(found[1])
		k.Sync() // found and mass are free again
	}
	rest := left.Get() // how many ids of weight high are kept: the first ones
	if byWeight {
		rest = rest.Add(high.Get()).Sub(1).UDiv(high.Get())
	}
	ties := codegen.Let(k.I64(0))
	tied := func(w codegen.I64) codegen.I64 { return codegen.Select(w.Eq(high.Get()), k.I64(1), k.I64(0)) }
	d.own(func(_ codegen.I32, w codegen.I64) { ties.Set(ties.Get().Add(tied(w))) })
	_, before := d.sums(ties.Get())
	run := codegen.Let(before)
	d.ids(func(id codegen.I32, ok codegen.Pred) {
		p := d.weights.Elem(id, 8)
		w := p.When(ok).LdI64()
		rank := run.Get().Add(scan64(k, tied(w)))
		stays := high.Get().ULt(w).Or(w.Eq(high.Get()).And(rank.ULt(rest.Add(1))))
		p.When(ok.And(stays.Not())).StI64(k.I64(0))
		run.Set(last64(rank))
	})
}

// count fills mass: per value of the digit at shift, the mass of the weights whose higher
// digits are high.
func (d *draw) count(high codegen.I64, shift int, byWeight bool) {
	k := d.k
	k.For(k.Thread(), digitSize, sampleThreads, func(i codegen.I32) { d.mass.Elem(i, 8).StI64(k.I64(0)) })
	k.Sync()
	d.own(func(_ codegen.I32, w codegen.I64) {
		k.If(w.Ne(0).And(w.Shr(shift+digitBits).Eq(high)), func() {
			m := w
			if !byWeight {
				m = k.I64(1)
			}
			d.mass.Elem(w.Shr(shift).I32().And(digitSize-1), 8).CountI64(m)
		})
	})
	k.Sync()
}

// cut finds the digit, from the highest down, at which the mass reaches goal, and what is left
// of goal there; both go to found. The first warp does it: lane l has the 64 digits from
// digitSize-1-64l down.
func (d *draw) cut(goal codegen.I64) {
	const each = digitSize / 32
	k := d.k
	k.If(k.Thread().Lt(32), func() {
		lowest := k.I32(digitSize - each).Sub(k.Lane().Mul(each))
		sum := codegen.Let(k.I64(0))
		k.For(0, each, 1, func(i codegen.I32) {
			at := i.Add(k.Lane()).And(each - 1) // lanes start at different banks
			sum.Set(sum.Get().Add(d.mass.Elem(lowest.Add(at), 8).LdI64()))
		})
		upTo := scan64(k, sum.Get())
		before := upTo.Sub(sum.Get())
		k.If(before.ULt(goal).And(goal.ULt(upTo.Add(1))), func() {
			left, digit := codegen.Let(goal.Sub(before)), codegen.Let(lowest.Add(each-1))
			here := func() codegen.I64 { return d.mass.Elem(digit.Get().Clamp(0, digitSize-1), 8).LdI64() }
			k.While(func() codegen.Pred { return here().ULt(left.Get()) }, func() {
				left.Set(left.Get().Sub(here()))
				digit.Set(digit.Get().Sub(1))
			})
			d.found.StI64x2([2]codegen.I64{digit.Get().I64(), left.Get()})
		})
	})
}
