package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/types"
)

// I64 widens an index: a is not negative.
func (a I32) I64() I64 {
	if n, ok := known(a.v); ok && n >= 0 {
		return a.k.I64(n)
	}
	return I64{a.k, a.k.emit(ir.NewZExt(a.v, types.I64))}
}

// S64 widens with the sign.
func (a I32) S64() I64 {
	if n, ok := known(a.v); ok {
		return a.k.I64(n)
	}
	return I64{a.k, a.k.emit(ir.NewSExt(a.v, types.I64))}
}

// I32 takes the low half.
func (a I64) I32() I32 {
	if n, ok := known(a.v); ok {
		return I32{a.k, constant.NewInt(types.I32, int64(int32(n)))}
	}
	return I32{a.k, a.k.emit(ir.NewTrunc(a.v, types.I32))}
}

// High takes the high half.
func (a I64) High() I32 { return a.Shr(32).I32() }

// Join makes lo + hi*2^32 of unsigned halves.
func (k *K) Join(lo, hi I32) I64 { return lo.I64().Or(hi.I64().Shl(32)) }

// F32 converts a signed number, rounded to nearest.
func (a I32) F32() F32 { return F32{a.k, a.k.emit(ir.NewSIToFP(a.v, types.Float))} }

// U2F converts an unsigned number, rounded to nearest.
func (a I32) U2F() F32 { return F32{a.k, a.k.emit(ir.NewUIToFP(a.v, types.Float))} }

// Trunc converts to an integer, toward zero.
func (a F32) Trunc() I32 { return I32{a.k, a.k.emit(ir.NewFPToSI(a.v, types.I32))} }

// CeilU64 converts to an unsigned number, rounded up.
func (a F32) CeilU64() I64 {
	return I64{a.k, a.k.asm(pure, "cvt.rpi.u64.f32 $0, $1;", repeat(types.I64, 1), a.v)[0]}
}

// Bits returns the bits of a float.
func (a F32) Bits() I32 { return I32{a.k, a.k.emit(ir.NewBitCast(a.v, types.I32))} }

// AsF32 takes the bits as a float.
func (a I32) AsF32() F32 { return F32{a.k, a.k.emit(ir.NewBitCast(a.v, types.Float))} }

// AsH2 takes the bits as two f16.
func (a I32) AsH2() H2 { return H2(a) }

// Bits returns the bits of two f16.
func (a H2) Bits() I32 { return I32(a) }

// I32 returns 1 for true and 0 for false.
func (p Pred) I32() I32 { return I32{p.k, p.k.emit(ir.NewZExt(p.v, types.I32))} }
