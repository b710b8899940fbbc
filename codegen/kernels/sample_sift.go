package kernels

import (
	"dsac/codegen"
	"dsac/ir/ops"
)

// sift is what a thread of sample_sift finds out.
type sift struct {
	goal   *codegen.Var[codegen.I64]   // mass to take from bucket lo, 0: all
	lo, hi *codegen.Var[codegen.I32]   // buckets that the lists are made of; above hi all stays
	sum    *codegen.Var[codegen.I64]   // of a block: weights that stay
	ranks  []*codegen.Var[codegen.I64] // of the thread's ids, 0: not listed
	at, n  *codegen.Var[codegen.I32]   // the thread's place in the list of its block; its length
}

// sampleSift: every block finds the bucket in which top-k or top-p ends, and sorts its ids by it.
func sampleSift(s *codegen.Spec) (Kernel, error) {
	return samplerKernel(s, sampleThreads, 0, 3, func(d *sampler) {
		k := d.k
		k.GridHold() // measured: 0.4 us; the next kernel is one large block
		f := &sift{
			codegen.Let(k.I64(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(-1)), codegen.Let(k.I64(0)),
			codegen.Lets(sampleEach, k.I64(0)), codegen.Let(k.I32(0)), codegen.Let(k.I32(0)),
		}
		k.If(d.temperature.Ne(0), func() {
			xs, _ := d.values(d.first(), sampleEach)
			masses := d.masses()
			top, possible := d.peak(k.Arg(4))
			k.If(possible, func() {
				k.If(d.restricted(), func() { d.cut(f, masses) })
				d.sift(f, d.weigh(xs, floatOf(top.key)))
			})
		})
		kept, list := k.Arg(6), k.Arg(7).Elem(k.BlockX(), ops.SampleBlock*8)
		k.If(k.Thread().Eq(0), func() {
			const entry = ops.SampleKept * 8
			k.If(k.BlockX().Eq(0), func() { kept.StI64x2([2]codegen.I64{f.goal.Get(), k.Join(f.hi.Get().Add(1), f.lo.Get())}) })
			kept.Elem(k.BlockX().Add(1), entry).StI64x2([2]codegen.I64{f.sum.Get(), f.n.Get().I64()})
		})
		at := f.at.Get()
		for j, r := range f.ranks {
			in := r.Get().Ne(0)
			list.Elem(at.Clamp(0, ops.SampleBlock-1), 8).When(in).StI64(r.Get())
			at = at.Add(in.I32())
			slot := k.Thread().Add(j * sampleThreads)
			list.Elem(slot, 8).When(slot.Ge(f.n.Get())).StI64(k.I64(0))
		}
	})
}

// sift looks at the weights of the thread's ids.
func (d *sampler) sift(f *sift, ws []codegen.I64) {
	k := d.k
	least, sum, n := d.least(), k.I64(0), k.I32(0)
	for j, w := range ws {
		b := bucket(w)
		stays := b.Gt(f.hi.Get()).And(w.UGe(least))
		listed := w.Ne(0).And(b.Ge(f.lo.Get())).And(b.Le(f.hi.Get()))
		sum = sum.Add(codegen.Select(stays, w, k.I64(0)))
		n = n.Add(listed.I32())
		f.ranks[j].Set(codegen.Select(listed, rank(w, d.first().Add(j)), k.I64(0)))
	}
	const most = 11 // bits of a count: both sums fit one number
	before, total := d.scan(sum.Shl(most).Add(n.I64()), sampleThreads)
	f.sum.Set(total.Shr(most))
	f.at.Set(before.I32().And(1<<most - 1))
	f.n.Set(total.I32().And(1<<most - 1))
}

// massesEach is the number of buckets of a thread. Thread 0 has the highest.
const massesEach = ops.SampleBuckets / sampleThreads

// masses loads the masses of the thread's buckets.
func (d *sampler) masses() (masses [massesEach]codegen.I64) {
	at := d.k.Arg(5).Elem(d.k.I32(sampleThreads-1).Sub(d.k.Thread()), 8*massesEach)
	for j := range masses {
		masses[j] = at.At(8 * j).LdI64()
	}
	return masses
}

// cut finds the bucket in which top-k or top-p ends.
func (d *sampler) cut(f *sift, masses [massesEach]codegen.I64) {
	k := d.k
	found := k.Shared("found", 16)
	above, total := d.scan(sum64(masses[:]), sampleThreads)
	counted := d.topK.Gt(0)
	goal := codegen.Select(counted, d.topK.I64(), share(d.topP, total))
	k.If(k.Thread().Eq(0), func() { found.StI64x2([2]codegen.I64{k.I64(0), k.I64(0)}) }) // where all stay
	k.Sync()
	for j := massesEach - 1; j >= 0; j-- {
		upTo := above.Add(masses[j])
		k.If(above.ULt(goal).And(upTo.UGe(goal)), func() {
			bucket := k.I32(ops.SampleBuckets - massesEach + j).Sub(k.Thread().Mul(massesEach))
			found.StI64x2([2]codegen.I64{bucket.I64(), above})
		})
		above = upTo
	}
	k.Sync()
	cut := found.LdI64x2()
	f.lo.Set(cut[0].I32())
	f.hi.Set(codegen.Select(counted, k.I32(ops.SampleBuckets-1), f.lo.Get()))
	f.goal.Set(goal.Sub(cut[1]))
	k.If(counted.And(total.ULt(goal.Add(1))), func() {
		f.lo.Set(k.I32(0))
		f.goal.Set(k.I64(0))
	})
}
