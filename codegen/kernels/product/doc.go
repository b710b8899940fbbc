// Package product holds the kernels of matrix products: weights of any type that package
// repack arranges, multiplied by activations on the tensor cores.
//
// Weights are the A operand of mma.m16n8k16, 16 rows of a matrix, and never pass through
// shared memory: each lane loads its own share, 16 bytes at a time, and turns it into f16. The
// activations of up to 16 or 128 tokens are the B operand, in shared memory: of few rows a block
// rounds them to f16 itself, of many it copies what half_rows has rounded for all products that
// read them (Halves). Sums are f32, in an order that depends on the shape only.
//
// For few rows the scales of Q4_K and Q5_K are applied to sums over whole units, see whole.
//
// Three kernels share these parts: stream (few rows of x, limited by the bytes of the weights),
// tiled (many), and grouped (many, each with some of the matrices: experts). A fourth, values,
// first makes its x: it joins parts of attention. It must not import anything above codegen.
package product
