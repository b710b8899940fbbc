package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// Half precision. Conversions round to nearest even; too large becomes infinity.

// word emits a pure instruction with one 32-bit result.
func (k *K) word(text string, in ...value.Value) I32 {
	return I32{k, k.asm(pure, text, repeat(types.I32, 1), in...)[0]}
}

func (k *K) oneF32(text string, in ...value.Value) F32 {
	return F32{k, k.asm(pure, text, repeat(types.Float, 1), in...)[0]}
}

// PackH2 rounds two numbers to f16.
func (k *K) PackH2(lo, hi F32) H2 { return H2(k.word("cvt.rn.f16x2.f32 $0, $2, $1;", lo.v, hi.v)) }

// PackB2 rounds two numbers to bf16, the first in the low half.
func (k *K) PackB2(lo, hi F32) I32 { return k.word("cvt.rn.bf16x2.f32 $0, $2, $1;", lo.v, hi.v) }

// F16 rounds a number to f16, in the low 16 bits.
func (a F32) F16() I32 {
	h := a.k.asm(pure, "cvt.rn.f16.f32 $0, $1;", repeat(types.I16, 1), a.v)[0]
	return I32{a.k, a.k.emit(ir.NewZExt(h, types.I32))}
}

// FromF16 widens the f16 in the low 16 bits; exact.
func (a I32) FromF16() F32 {
	return a.k.oneF32("cvt.f32.f16 $0, $1;", a.k.trunc(a, types.I16))
}

// FromBF16 widens the bf16 in the low 16 bits; exact.
func (a I32) FromBF16() F32 { return a.Shl(16).AsF32() }

// Lo widens the first f16.
func (a H2) Lo() F32 { return I32(a).FromF16() }

// Hi widens the second f16.
func (a H2) Hi() F32 { return I32(a).Shr(16).FromF16() }

// Add returns the two sums.
func (a H2) Add(b H2) H2 { return H2(a.k.word("add.rn.f16x2 $0, $1, $2;", a.v, b.v)) }

// Sub returns the two differences.
func (a H2) Sub(b H2) H2 { return H2(a.k.word("sub.rn.f16x2 $0, $1, $2;", a.v, b.v)) }

// Mul returns the two products.
func (a H2) Mul(b H2) H2 { return H2(a.k.word("mul.rn.f16x2 $0, $1, $2;", a.v, b.v)) }

// Fma returns a*b + c, each rounded once.
func (a H2) Fma(b, c H2) H2 { return H2(a.k.word("fma.rn.f16x2 $0, $1, $2, $3;", a.v, b.v, c.v)) }

// Max returns the two larger numbers.
func (a H2) Max(b H2) H2 { return H2(a.k.word("max.f16x2 $0, $1, $2;", a.v, b.v)) }
