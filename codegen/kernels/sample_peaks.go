package kernels

import (
	"dsac/codegen"
	"dsac/ir/ops"
)

// samplePeaks: the best id of each block; masses are emptied for the next kernel.
func samplePeaks(s *codegen.Spec) (Kernel, error) {
	return samplerKernel(s, sampleThreads, 0, 3, func(d *sampler) {
		k := d.k
		k.GridHold() // measured: the next kernel beside it costs 2 us where it has work
		first := d.first()
		xs, bad := d.values(first, sampleEach)
		top := best{sortKey(xs[0]), first}
		for j, x := range xs[1:] {
			top = top.better(best{sortKey(x), first.Add(j + 1)})
		}
		top = d.most(best{
			codegen.Select(bad, k.I32(brokenKey), top.key), codegen.Select(bad, k.I32(0), top.id),
		})
		k.If(k.Thread().Eq(0), func() { top.store(k.Arg(4).Elem(k.BlockX(), 8)) })
		k.For(k.BlockX().Mul(sampleThreads).Add(k.Thread()), ops.SampleBuckets/2, d.blocks*sampleThreads, func(i codegen.I32) {
			k.Arg(5).Elem(i, 16).StI64x2([2]codegen.I64{k.I64(0), k.I64(0)})
		})
	})
}
