package codegen

import (
	"github.com/llir/llvm/ir/types"
)

// Atomics, for counters and flags. No float ones: the order of their sums is not fixed.

// AtomicAdd adds x and returns the value before.
func (p Ptr) AtomicAdd(x I32) I32 {
	return I32{p.k, p.k.asm(ordered, "atom."+p.spaceName()+".add.u32 $0, [$1], $2;", repeat(types.I32, 1), p.v, x.v)[0]}
}

// AtomicOr sets bits.
func (p Ptr) AtomicOr(x I32) {
	p.k.asm(ordered, "red."+p.spaceName()+".or.b32 [$0], $1;", nil, p.v, x.v)
}

// Count adds x and returns nothing.
func (p Ptr) Count(x I32) {
	p.k.asm(ordered, "red."+p.spaceName()+".add.u32 [$0], $1;", nil, p.v, x.v)
}

// CountI64 adds x and returns nothing.
func (p Ptr) CountI64(x I64) {
	p.k.asm(ordered, "red."+p.spaceName()+".add.u64 [$0], $1;", nil, p.v, x.v)
}

// LdAcquire loads a flag that another block stores with StRelease: what that block wrote
// before is then visible.
func (p Ptr) LdAcquire() I32 {
	return I32{p.k, p.k.asm(ordered, "ld.acquire.gpu."+p.spaceName()+".b32 $0, [$1];", repeat(types.I32, 1), p.v)[0]}
}

// StRelease stores a flag.
func (p Ptr) StRelease(x I32) {
	p.k.asm(ordered, "st.release.gpu."+p.spaceName()+".b32 [$0], $1;", nil, p.v, x.v)
}
