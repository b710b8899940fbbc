package kernels

import (
	"dsac/codegen"
	"dsac/ir/ops"
)

// sampleMasses: where top-k or top-p leave ids out, each id adds its mass to its bucket.
func sampleMasses(s *codegen.Spec) (Kernel, error) {
	return samplerKernel(s, sampleThreads, 0, 3, func(d *sampler) {
		k := d.k
		k.ReturnIf(d.temperature.Eq(0).Or(d.restricted().Not()))
		top, possible := d.peak(k.Arg(4))
		k.ReturnIf(possible.Not())
		first := k.BlockX().Mul(ops.SampleBlock).Add(k.Thread().Mul(sampleEach))
		for _, w := range d.weights(first, sampleEach, floatOf(top.key)) {
			k.If(w.Ne(0), func() {
				k.Arg(5).Elem(bucket(w), 8).CountI64(codegen.Select(d.topK.Gt(0), k.I64(1), w))
			})
		}
	})
}
