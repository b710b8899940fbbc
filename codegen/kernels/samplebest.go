package kernels

import (
	"math"

	"dsac/codegen"
)

// leader is what a thread knows of the best id.
type leader struct {
	bad     *codegen.Var[codegen.I32] // 1: a logit is one that no model may give
	key, id *codegen.Var[codegen.I32]
}

// spoil notes that a logit is broken.
func (l *leader) spoil(p codegen.Pred) {
	l.bad.Set(codegen.Select(p, codegen.KernelOf(p).I32(1), l.bad.Get()))
}

// look compares logits of later ids: the first of equals stays.
func (l *leader) look(d *draw, vs []vec, values [][]codegen.F32) {
	for i, xs := range values {
		for j, x := range xs {
			key := sortKey(x)
			better := l.key.Get().ULt(key)
			l.key.Set(codegen.Select(better, key, l.key.Get()))
			l.id.Set(codegen.Select(better, d.id(vs[i], j), l.id.Get()))
		}
	}
}

// best returns whether some logit is broken, the key of the largest logit and its id, the
// lowest of equals; -1 when all are minus infinity.
func (d *draw) best() (broken codegen.Pred, key, id codegen.I32) {
	k := d.k
	l := leader{codegen.Let(k.I32(0)), codegen.Let(k.I32(minusInfinity)), codegen.Let(k.I32(-1))}
	all := func() {
		d.vectors(sampleUnroll/2, func(vs []vec) { l.look(d, vs, d.values(vs, l.spoil)) })
	}
	if d.skims() {
		k.IfElse(d.penalty.Eq(1), func() { d.skim(&l) }, all)
	} else {
		all()
	}
	reduce := func(key, id codegen.I32) (codegen.I32, codegen.I32) {
		best := k.WarpMaxU32(key)
		return best, k.WarpMinU32(codegen.Select(key.Eq(best), id, k.I32(-1)))
	}
	key, id = reduce(l.key.Get(), l.id.Get())
	k.If(k.Lane().Eq(0), func() { d.slots.Elem(k.Warp(), 8).StI32s(key, id) })
	k.Sync()
	of := d.slots.Elem(k.Lane(), 8).LdI32s(2)
	key, id = reduce(of[0], of[1])
	k.Sync() // slots are free again
	count, _ := d.sums(l.bad.Get().I64())
	return count.Ne(0), key, id
}

// skimUnroll is the number of vectors that a thread loads before it looks at the first: one
// block is to draw on the bandwidth of its multiprocessor.
const (
	skimUnroll = 8
	lastVector = 32 * (skimUnroll - 1) // from a lane's first vector of a round to its last
)

// skims says whether there is a vocabulary long enough for it.
func (d *draw) skims() bool { return d.width == 4 && d.vocab/4 > lastVector }

// skim looks closely only at vectors that may hold a new best of the warp, a masked id, or a
// broken logit; there is no penalty. A warp's ids ascend from round to round, so that equals of
// its best are not needed.
func (d *draw) skim(l *leader) {
	k := d.k
	count := d.vocab / 4
	bar := codegen.Let(k.F32(math.Inf(-1))) // the warp's best so far
	d.rounds(skimUnroll, func(first codegen.I32) {
		k.IfElse(first.Add(lastVector).Lt(count), func() {
			base := first.Clamp(0, count-1-lastVector) // said for the checker
			logits, mask := d.logits.Elem(base, 16), d.mask.Elem(base, 4)
			var xs [skimUnroll][]codegen.F32
			masked := k.I32(0)
			for u := range xs {
				xs[u] = logits.At(32 * 16 * u).LdF32s(4)
			}
			for u := range xs {
				masked = masked.Or(mask.At(32 * 4 * u).LdI32())
			}
			for u, x := range xs {
				most := x[0].Max(x[1]).Max(x[2].Max(x[3]))
				// A sum with something broken in it is not finite.
				sound := x[0].Add(x[1]).Add(x[2].Add(x[3])).Abs().Le(math.MaxFloat32)
				k.If(most.Gt(bar.Get()).Or(sound.Not()).Or(masked.Ne(0)), func() {
					v := vec{base.Add(32 * u), k.Bool(true)}
					l.look(d, []vec{v}, [][]codegen.F32{d.allowed(v, x, mask.At(32*4*u).LdI32(), l.spoil)})
				})
			}
		}, func() {
			k.For(0, lastVector+1, 32*sampleUnroll, func(i codegen.I32) {
				vs := d.vecs(first.Add(i), sampleUnroll)
				l.look(d, vs, d.plain(vs, l.spoil))
			})
		})
		bar.Set(floatOf(k.WarpMaxU32(l.key.Get())))
	})
}

// allowed returns the logits of a vector, minus infinity where an id is masked (its byte of out
// is not 0) or past the vocabulary; bad is told where one is that no model may give.
func (d *draw) allowed(v vec, xs []codegen.F32, out codegen.I32, bad func(codegen.Pred)) []codegen.F32 {
	kept := make([]codegen.F32, len(xs))
	for j, x := range xs {
		in := v.ok.And(out.And(255 << (8 * j)).Eq(0))
		bad(x.Le(math.MaxFloat32).Not().And(in))
		kept[j] = codegen.Select(in, x, d.k.F32(math.Inf(-1)))
	}
	return kept
}
