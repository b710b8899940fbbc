package kernels

import "dsac/codegen"

// A weight has 33 bits: three digits, looked at from the top one down.
const (
	digitBits = 11
	digitSize = 1 << digitBits
	topShift  = 2 * digitBits
)

// massSize is the size of the mass of a digit: sums of the weights' own three digits, a word
// each, as 32-bit counters of shared memory are far quicker than 64-bit ones.
const massSize = 3 * 4

// keep sets all weights to 0 that are not in the shortest prefix, in the order (weight
// descending, id ascending), whose mass reaches goal, and returns the sum of the others. The
// mass of an id is its weight, or 1. A radix select, as in runtime/sample: each round narrows
// the cut to one digit.
func (d *draw) keep(goal codegen.I64, byWeight bool) codegen.I64 {
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
	return d.trim(high.Get(), rest)
}

// trim keeps the weights above high and the first rest ones of high, and returns their sum.
func (d *draw) trim(high, rest codegen.I64) codegen.I64 {
	k := d.k
	ties := codegen.Let(k.I64(0))
	d.own(func(_ []vec, ws [][]codegen.I64) {
		for _, w := range ws {
			ties.Set(ties.Get().Add(d.tied(w, high)))
		}
	})
	_, before := d.sums(ties.Get())
	run, sum := codegen.Let(before), codegen.Let(k.I64(0))
	d.own(func(vs []vec, ws [][]codegen.I64) {
		for i, v := range vs {
			tied := d.tied(ws[i], high)
			upTo := run.Get().Add(scan64(k, tied))
			rank := upTo.Sub(tied)
			for j, w := range ws[i] {
				eq := w.Eq(high)
				rank = rank.Add(one64(k, eq))
				stays := high.ULt(w).Or(eq.And(rank.ULt(rest.Add(1))))
				ws[i][j] = codegen.Select(stays, w, k.I64(0))
			}
			run.Set(last64(upTo))
			sum.Set(sum.Get().Add(sum64(ws[i])))
			d.store(v, ws[i])
		}
	})
	total, _ := d.sums(sum.Get())
	return total
}

// tied counts the weights that are high.
func (d *draw) tied(ws []codegen.I64, high codegen.I64) codegen.I64 {
	n := d.k.I64(0)
	for _, w := range ws {
		n = n.Add(one64(d.k, w.Eq(high)))
	}
	return n
}

// count fills mass: per value of the digit at shift, the mass of the weights whose higher
// digits are high. Digit 0, where nearly all weights are, counts as more than any goal: the cut
// is there if it is nowhere above, and its mass is never asked for.
func (d *draw) count(high codegen.I64, shift int, byWeight bool) {
	k := d.k
	k.For(k.Thread(), digitSize*massSize/4, sampleThreads, func(i codegen.I32) { d.mass.Elem(i, 4).StI32(k.I32(0)) })
	k.Sync()
	d.own(func(_ []vec, ws [][]codegen.I64) {
		for _, w := range ws {
			for _, w := range w {
				digit := w.Shr(shift).I32().And(digitSize - 1)
				k.If(digit.Ne(0).And(w.Shr(shift+digitBits).Eq(high)), func() {
					at := d.mass.Elem(digit, massSize)
					if !byWeight {
						at.Count(k.I32(1))
						return
					}
					for i := range massSize / 4 {
						at.At(4 * i).Count(w.Shr(i * digitBits).I32().And(digitSize - 1))
					}
				})
			}
		}
	})
	k.Sync()
}

// massOf returns the mass of a digit.
func (d *draw) massOf(digit codegen.I32) codegen.I64 {
	k := d.k
	sum := k.I64(0)
	for i := range massSize / 4 {
		part := d.mass.Elem(digit, massSize).At(4 * i).LdI32().I64()
		sum = sum.Add(part.Shl(i * digitBits))
	}
	return codegen.Select(digit.Eq(0), k.I64(1<<62), sum)
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
			sum.Set(sum.Get().Add(d.massOf(lowest.Add(at))))
		})
		upTo := scan64(k, sum.Get())
		before := upTo.Sub(sum.Get())
		k.If(before.ULt(goal).And(goal.ULt(upTo.Add(1))), func() {
			left, digit := codegen.Let(goal.Sub(before)), codegen.Let(lowest.Add(each-1))
			here := func() codegen.I64 { return d.massOf(digit.Get().Clamp(0, digitSize-1)) }
			k.While(func() codegen.Pred { return here().ULt(left.Get()) }, func() {
				left.Set(left.Get().Sub(here()))
				digit.Set(digit.Get().Sub(1))
			})
			d.found.StI64x2([2]codegen.I64{digit.Get().I64(), left.Get()})
		})
	})
}
