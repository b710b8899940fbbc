// Package codegen builds GPU kernels: a typed layer over LLVM IR in which a kernel written in
// Go reads like one written in CUDA. Module collects kernels and prints one LLVM module; the
// folders below compile and check it (llc, ptxas, ptx, emu) and hold the kernels themselves
// (kernels). It must not import models or passes.
//
// A kernel is a Go function that calls methods of K and of the values they return. Go's own
// loops and conditions run while building, so a Go loop is an unrolled loop; For, While and If
// emit branches. Variables that change inside those are made with Let: the builder emits the
// phis, because llc neither promotes memory to registers nor unrolls.
//
// Methods that take any accept a value of the receiver's type or a Go constant. A wrong
// argument does not panic: the module keeps the first error with the file and line of the
// kernel that made it, and Build returns it.
package codegen
