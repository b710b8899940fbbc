package kernels

import "dsac/codegen"

// runoff is a search among keys of numbers that are not below least, and few of which are above
// most: one histogram of bins of one width, whose bin with the key of rank want holds few keys. A
// warp compares these with each other. Where they are too many for it, keys are searched by digits.
type runoff struct {
	digits
	list codegen.Ptr // shared: keys of a bin
}

func newRunoff(d digits) runoff { return runoff{d, d.kernel.Shared("runoff", sharedRunoff)} }

const sharedRunoff = 32 * 4

// between is search among keys of which nothing is known.
func (r *runoff) between(keys []codegen.I32, busy codegen.Pred, want codegen.I32) (threshold, quota codegen.I32) {
	lo, hi := r.extremes(keys)
	return r.cut(keys, busy, floatOf(lo), floatOf(hi), want)
}

// cut is search. Threads that are not busy have no keys.
func (r *runoff) cut(keys []codegen.I32, busy codegen.Pred, least, most codegen.F32, want codegen.I32) (threshold, quota codegen.I32) {
	k := r.kernel
	perUnit := k.F32(float64(r.size)).Div(most.Sub(least))
	places := codegen.Lets(len(keys), k.I32(-1))
	k.If(busy, func() {
		for j, key := range keys {
			place := floatOf(key).Sub(least).Mul(perUnit).Max(0).Min(float64(r.size - 1)).Trunc()
			places[j].Set(codegen.Select(key.Eq(0), k.I32(-1), place))
		}
		r.fill(values(places))
	})
	bin, above, in := r.digits.cut(want)
	left := want.Sub(above)
	t, q := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	k.IfElse(in.Le(32), func() {
		k.If(busy, func() {
			for j, place := range places {
				k.If(place.Get().Eq(bin), func() {
					r.list.Elem(r.found.At(12).AtomicAdd(k.I32(1)).Clamp(0, 31), 4).StI32(keys[j])
				})
			}
		})
		k.Sync()
		k.If(k.Warp().Eq(0), func() {
			threshold, quota := r.among(in, left)
			r.found.When(k.Lane().Eq(0)).StI32x2([2]codegen.I32{threshold, quota})
		})
		k.Sync()
		x := r.found.LdI32x2()
		t.Set(x[0])
		q.Set(x[1])
	}, func() {
		lo, hi := r.extremes(keys)
		threshold, quota := r.search(lo, hi, want, func(look func([]codegen.I32)) { k.If(busy, func() { look(keys) }) })
		t.Set(threshold)
		q.Set(quota)
	})
	return t.Get(), q.Get()
}

// among finds the key of rank want of n in the list; the lanes of a warp have one each. Its order
// does not matter.
func (r *runoff) among(n, want codegen.I32) (threshold, quota codegen.I32) {
	k := r.kernel
	key := r.list.Elem(k.Lane(), 4).When(k.Lane().Lt(n)).LdI32()
	greater, same := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	k.For(0, n, 4, func(i codegen.I32) {
		for j := range 4 {
			other := codegen.ShflIdx(key, i.Add(j))
			greater.Set(greater.Get().Add(key.ULt(other).I32()))
			same.Set(same.Get().Add(key.Eq(other).I32()))
		}
	})
	is := greater.Get().Lt(want).And(want.Le(greater.Get().Add(same.Get()))).And(key.Ne(0))
	threshold = k.WarpMaxU32(codegen.Select(is, key, k.I32(0)))
	return threshold, k.WarpMaxU32(codegen.Select(is, want.Sub(greater.Get()), k.I32(0)))
}
