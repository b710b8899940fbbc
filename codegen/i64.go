package codegen

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
)

// Arithmetic of I64. Operands are I64 values or Go integers.

// Add returns a + b.
func (a I64) Add(b any) I64 { return I64{a.k, opAdd.apply(a.k, a.v, a.k.i64(b).v)} }

// Sub returns a - b.
func (a I64) Sub(b any) I64 { return I64{a.k, opSub.apply(a.k, a.v, a.k.i64(b).v)} }

// Mul returns the low half of a * b.
func (a I64) Mul(b any) I64 { return I64{a.k, opMul.apply(a.k, a.v, a.k.i64(b).v)} }

// UDiv returns a / b of unsigned numbers.
func (a I64) UDiv(b any) I64 { return I64{a.k, opUDiv.apply(a.k, a.v, a.k.i64(b).v)} }

// URem returns a mod b of unsigned numbers.
func (a I64) URem(b any) I64 { return I64{a.k, opURem.apply(a.k, a.v, a.k.i64(b).v)} }

// And returns a & b.
func (a I64) And(b any) I64 { return I64{a.k, opAnd.apply(a.k, a.v, a.k.i64(b).v)} }

// Or returns a | b.
func (a I64) Or(b any) I64 { return I64{a.k, opOr.apply(a.k, a.v, a.k.i64(b).v)} }

// Xor returns a ^ b.
func (a I64) Xor(b any) I64 { return I64{a.k, opXor.apply(a.k, a.v, a.k.i64(b).v)} }

// Shl returns a << b.
func (a I64) Shl(b any) I64 { return I64{a.k, opShl.apply(a.k, a.v, a.k.i64(b).v)} }

// Shr returns a >> b, filled with zeros.
func (a I64) Shr(b any) I64 { return I64{a.k, opShr.apply(a.k, a.v, a.k.i64(b).v)} }

// Sar returns a >> b, filled with the sign.
func (a I64) Sar(b any) I64 { return I64{a.k, opSar.apply(a.k, a.v, a.k.i64(b).v)} }

// Min returns the smaller of signed numbers.
func (a I64) Min(b any) I64 { return I64{a.k, a.k.call("llvm.smin.i64", types.I64, a.v, a.k.i64(b).v)} }

// Max returns the larger of signed numbers.
func (a I64) Max(b any) I64 { return I64{a.k, a.k.call("llvm.smax.i64", types.I64, a.v, a.k.i64(b).v)} }

// UMin returns the smaller of unsigned numbers.
func (a I64) UMin(b any) I64 {
	return I64{a.k, a.k.call("llvm.umin.i64", types.I64, a.v, a.k.i64(b).v)}
}

// UMax returns the larger of unsigned numbers.
func (a I64) UMax(b any) I64 {
	return I64{a.k, a.k.call("llvm.umax.i64", types.I64, a.v, a.k.i64(b).v)}
}

// Eq says whether a == b.
func (a I64) Eq(b any) Pred { return compare(a.k, enum.IPredEQ, a.v, a.k.i64(b).v) }

// Ne says whether a != b.
func (a I64) Ne(b any) Pred { return compare(a.k, enum.IPredNE, a.v, a.k.i64(b).v) }

// Lt says whether a < b of signed numbers.
func (a I64) Lt(b any) Pred { return compare(a.k, enum.IPredSLT, a.v, a.k.i64(b).v) }

// Le says whether a <= b of signed numbers.
func (a I64) Le(b any) Pred { return compare(a.k, enum.IPredSLE, a.v, a.k.i64(b).v) }

// Gt says whether a > b of signed numbers.
func (a I64) Gt(b any) Pred { return compare(a.k, enum.IPredSGT, a.v, a.k.i64(b).v) }

// Ge says whether a >= b of signed numbers.
func (a I64) Ge(b any) Pred { return compare(a.k, enum.IPredSGE, a.v, a.k.i64(b).v) }

// ULt says whether a < b of unsigned numbers.
func (a I64) ULt(b any) Pred { return compare(a.k, enum.IPredULT, a.v, a.k.i64(b).v) }

// UGe says whether a >= b of unsigned numbers.
func (a I64) UGe(b any) Pred { return compare(a.k, enum.IPredUGE, a.v, a.k.i64(b).v) }

// Neg returns -a.
func (a I64) Neg() I64 { return a.k.I64(0).Sub(a) }

// Clamp returns a within [lo, hi], both included. Whatever is loaded from memory passes through
// it before it forms an address, so that the extent of the access is known.
func (a I64) Clamp(lo, hi any) I64 { return a.Max(lo).Min(hi) }
