package codegen

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
)

// Arithmetic of I32. Operands are I32 values or Go integers.

// Add returns a + b.
func (a I32) Add(b any) I32 { return I32{a.k, opAdd.apply(a.k, a.v, a.k.i32(b).v)} }

// Sub returns a - b.
func (a I32) Sub(b any) I32 { return I32{a.k, opSub.apply(a.k, a.v, a.k.i32(b).v)} }

// Mul returns the low half of a * b.
func (a I32) Mul(b any) I32 { return I32{a.k, opMul.apply(a.k, a.v, a.k.i32(b).v)} }

// UDiv returns a / b of unsigned numbers.
func (a I32) UDiv(b any) I32 { return I32{a.k, opUDiv.apply(a.k, a.v, a.k.i32(b).v)} }

// URem returns a mod b of unsigned numbers.
func (a I32) URem(b any) I32 { return I32{a.k, opURem.apply(a.k, a.v, a.k.i32(b).v)} }

// And returns a & b.
func (a I32) And(b any) I32 { return I32{a.k, opAnd.apply(a.k, a.v, a.k.i32(b).v)} }

// Or returns a | b.
func (a I32) Or(b any) I32 { return I32{a.k, opOr.apply(a.k, a.v, a.k.i32(b).v)} }

// Xor returns a ^ b.
func (a I32) Xor(b any) I32 { return I32{a.k, opXor.apply(a.k, a.v, a.k.i32(b).v)} }

// Shl returns a << b.
func (a I32) Shl(b any) I32 { return I32{a.k, opShl.apply(a.k, a.v, a.k.i32(b).v)} }

// Shr returns a >> b, filled with zeros.
func (a I32) Shr(b any) I32 { return I32{a.k, opShr.apply(a.k, a.v, a.k.i32(b).v)} }

// Sar returns a >> b, filled with the sign.
func (a I32) Sar(b any) I32 { return I32{a.k, opSar.apply(a.k, a.v, a.k.i32(b).v)} }

// Min returns the smaller of signed numbers.
func (a I32) Min(b any) I32 { return I32{a.k, a.k.call("llvm.smin.i32", types.I32, a.v, a.k.i32(b).v)} }

// Max returns the larger of signed numbers.
func (a I32) Max(b any) I32 { return I32{a.k, a.k.call("llvm.smax.i32", types.I32, a.v, a.k.i32(b).v)} }

// UMin returns the smaller of unsigned numbers.
func (a I32) UMin(b any) I32 {
	return I32{a.k, a.k.call("llvm.umin.i32", types.I32, a.v, a.k.i32(b).v)}
}

// UMax returns the larger of unsigned numbers.
func (a I32) UMax(b any) I32 {
	return I32{a.k, a.k.call("llvm.umax.i32", types.I32, a.v, a.k.i32(b).v)}
}

// Eq says whether a == b.
func (a I32) Eq(b any) Pred { return compare(a.k, enum.IPredEQ, a.v, a.k.i32(b).v) }

// Ne says whether a != b.
func (a I32) Ne(b any) Pred { return compare(a.k, enum.IPredNE, a.v, a.k.i32(b).v) }

// Lt says whether a < b of signed numbers.
func (a I32) Lt(b any) Pred { return compare(a.k, enum.IPredSLT, a.v, a.k.i32(b).v) }

// Le says whether a <= b of signed numbers.
func (a I32) Le(b any) Pred { return compare(a.k, enum.IPredSLE, a.v, a.k.i32(b).v) }

// Gt says whether a > b of signed numbers.
func (a I32) Gt(b any) Pred { return compare(a.k, enum.IPredSGT, a.v, a.k.i32(b).v) }

// Ge says whether a >= b of signed numbers.
func (a I32) Ge(b any) Pred { return compare(a.k, enum.IPredSGE, a.v, a.k.i32(b).v) }

// ULt says whether a < b of unsigned numbers.
func (a I32) ULt(b any) Pred { return compare(a.k, enum.IPredULT, a.v, a.k.i32(b).v) }

// UGe says whether a >= b of unsigned numbers.
func (a I32) UGe(b any) Pred { return compare(a.k, enum.IPredUGE, a.v, a.k.i32(b).v) }

// Neg returns -a.
func (a I32) Neg() I32 { return a.k.I32(0).Sub(a) }

// Clamp returns a within [lo, hi], both included. Whatever is loaded from memory passes through
// it before it forms an address, so that the extent of the access is known.
func (a I32) Clamp(lo, hi any) I32 { return a.Max(lo).Min(hi) }
