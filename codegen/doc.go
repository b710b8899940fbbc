// Package codegen builds GPU kernels: a typed layer over LLVM IR in which a kernel written in
// Go reads like one written in CUDA. Module collects kernels and prints one LLVM module; the
// folders below compile and check it (llc, ptxas, ptx, emu) and hold the kernels themselves
// (kernels). It must not import models or passes.
//
// A kernel is a Go function that calls methods of K and of the values they return:
//
//	m.Kernel("axpy", []string{"x", "y"}, 256, func(k *codegen.K) {
//		i := k.BlockX().Mul(256).Add(k.Thread())
//		k.If(i.Lt(n), func() {
//			x, y := k.Arg(0).ReadOnly().Elem(i, 4), k.Arg(1).Elem(i, 4)
//			y.StF32(x.LdF32().Fma(2.5, y.LdF32()))
//		})
//	})
//
// Go's own loops and conditions run while building, so a Go loop is an unrolled loop and what
// is known then costs nothing; For, Each, While, If and ReturnIf emit branches. What changes
// inside those is a variable, made with Let; the builder emits the phis, because llc neither
// promotes memory to registers nor unrolls:
//
//	sum := codegen.Let(k.F32(0))
//	k.Each(k.Thread(), 256, n, func(i codegen.I32) { sum.Set(sum.Get().Add(x.Elem(i, 4).LdF32())) })
//	total := k.WarpSum(sum.Get())
//
// Addresses (Ptr) come from Arg, Ctl, Shared, Dynamic and Table, and stay in their space. Elem
// and At move them; ReadOnly, Stream, Fixed and When say how accesses through them behave. A kernel
// may start while the one before it still runs: GridWait divides loads of constants, which may come
// first, from all else; kernels that do not call it wait first of all. Blocks of a Cluster reach each
// other's shared memory through Peer. An index
// that was loaded from memory passes through Clamp before it forms an address, because the
// extent of every access is proved from the PTX. Integers have no sign of their own: methods
// that care say which (Lt and ULt, Shr and Sar). Floating-point operations round one by one;
// only Fma fuses.
//
// Methods that take any accept a value of the receiver's type or a Go constant. A wrong
// argument does not panic: the module keeps the first error with the file and line of the
// kernel that made it, and Build returns it.
package codegen
