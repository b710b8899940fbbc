package kernels

import (
	"dsac/codegen"
	"dsac/ir/ops"
)

// sampleMasses: where top-k or top-p leave ids out, each id adds its mass to its bucket. Blocks
// add up their own first: 64-bit atomics of global memory are slow, and shared memory has none.
func sampleMasses(s *codegen.Spec) (Kernel, error) {
	return samplerKernel(s, sampleThreads, 0, 3, func(d *sampler) {
		const half = 16 // bits: a block's sum of such parts of weights fits a word
		k := d.k
		k.ReturnIf(d.temperature.Eq(0).Or(d.restricted().Not()))
		own := k.Shared("masses", ops.SampleBuckets*8)
		k.Each(k.Thread(), sampleThreads, ops.SampleBuckets/2, func(i codegen.I32) {
			own.Elem(i, 16).StI64x2([2]codegen.I64{k.I64(0), k.I64(0)})
		})
		xs, _ := d.values(d.first(), sampleEach)
		top, possible := d.peak(k.Arg(4)) // and a barrier
		k.ReturnIf(possible.Not())
		for _, w := range d.weigh(xs, floatOf(top.key)) {
			k.If(w.Ne(0), func() {
				m := codegen.Select(d.topK.Gt(0), k.I64(1), w)
				at := own.Elem(bucket(w), 8)
				at.Count(m.I32().And(1<<half - 1))
				at.At(4).Count(m.Shr(half).I32())
			})
		}
		k.Sync()
		k.Each(k.Thread(), sampleThreads, ops.SampleBuckets, func(i codegen.I32) {
			x := own.Elem(i, 8).LdI32x2()
			m := x[0].I64().Add(x[1].I64().Shl(half))
			k.If(m.Ne(0), func() { k.Arg(5).Elem(i, 8).CountI64(m) })
		})
	})
}
