package kernels

import "dsac/codegen"

// Sums of 64-bit integers over warps.

// scan64 gives each lane the sum over itself and the lanes before it.
func scan64(k *codegen.K, x codegen.I64) codegen.I64 {
	for d := 1; d < 32; d *= 2 {
		y := k.Join(codegen.ShflUp(x.I32(), d), codegen.ShflUp(x.High(), d))
		x = x.Add(codegen.Select(k.Lane().Ge(d), y, k.I64(0)))
	}
	return x
}

// sum64 adds integers.
func sum64(xs []codegen.I64) codegen.I64 {
	sum := xs[0]
	for _, x := range xs[1:] {
		sum = sum.Add(x)
	}
	return sum
}

// one64 is 1 where p holds, 0 elsewhere.
func one64(k *codegen.K, p codegen.Pred) codegen.I64 { return codegen.Select(p, k.I64(1), k.I64(0)) }
