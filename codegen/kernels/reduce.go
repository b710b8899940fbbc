package kernels

import "dsac/codegen"

// blockSum adds x over all threads of a block; each thread gets the sum. The order of the
// additions is fixed: lanes of a warp, then warps in turn.
func blockSum(k *codegen.K, name string, x codegen.F32, threads int) codegen.F32 {
	x = k.WarpSum(x)
	n := threads / 32
	if n == 1 {
		return x
	}
	part := k.Shared(name, n*f32)
	k.If(k.Lane().Eq(0), func() { part.Elem(k.Warp(), f32).StF32(x) })
	k.Sync()
	sum := k.F32(0)
	for i := range n {
		sum = sum.Add(part.At(i * f32).LdF32())
	}
	return sum
}
