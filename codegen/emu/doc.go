// Package emu executes PTX on the CPU, so that kernels are tested where there is no GPU: grids,
// clusters, blocks, warps with divergence, shared memory, barriers, tensor cores. Each launch also
// checks what a GPU never tells: out-of-bounds and misaligned accesses, reads of bytes that nobody
// wrote, races, divergent barriers, outputs left unwritten, stores where none was declared.
//
// An entry is compiled to closures over whole warps; a register is an array of 32 lanes.
// It imports codegen/ptx for the parsed text and nothing else of this module.
package emu
