package kernels

import "dsac/codegen"

// Sums of 64-bit integers over warps and blocks.

// warpSum64 gives each lane the sum over the lanes.
func warpSum64(k *codegen.K, x codegen.I64) codegen.I64 {
	for d := 16; d > 0; d /= 2 {
		x = x.Add(k.Join(codegen.ShflXor(x.I32(), d), codegen.ShflXor(x.High(), d)))
	}
	return x
}

// scan64 gives each lane the sum over itself and the lanes before it.
func scan64(k *codegen.K, x codegen.I64) codegen.I64 {
	for d := 1; d < 32; d *= 2 {
		y := k.Join(codegen.ShflUp(x.I32(), d), codegen.ShflUp(x.High(), d))
		x = x.Add(codegen.Select(k.Lane().Ge(d), y, k.I64(0)))
	}
	return x
}

// last64 gives each lane the value of the last one.
func last64(x codegen.I64) codegen.I64 {
	return codegen.KernelOf(x).Join(codegen.ShflIdx(x.I32(), 31), codegen.ShflIdx(x.High(), 31))
}

// sums returns the sum of x over all threads of the block, and over the warps before this one.
func (d *draw) sums(x codegen.I64) (total, before codegen.I64) {
	k := d.k
	x = warpSum64(k, x)
	k.If(k.Lane().Eq(0), func() { d.slots.Elem(k.Warp(), 8).StI64(x) })
	k.Sync()
	part := d.slots.Elem(k.Lane(), 8).LdI64()
	total = warpSum64(k, part)
	before = warpSum64(k, codegen.Select(k.Lane().Lt(k.Warp()), part, k.I64(0)))
	k.Sync() // slots are free again
	return total, before
}
