package codegen

import (
	"math/big"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// Arithmetic of F32: each operation is rounded to nearest on its own; products and sums are
// fused only where a kernel says Fma. Operands are F32 values or Go numbers.

var one = big.NewFloat(1)

// Add returns a + b.
func (a F32) Add(b any) F32 { return F32{a.k, a.k.emit(ir.NewFAdd(a.v, a.k.f32(b).v))} }

// Sub returns a - b.
func (a F32) Sub(b any) F32 { return F32{a.k, a.k.emit(ir.NewFSub(a.v, a.k.f32(b).v))} }

// Mul returns a * b.
func (a F32) Mul(b any) F32 {
	y := a.k.f32(b)
	if c, ok := y.v.(*constant.Float); ok && c.X.Cmp(one) == 0 {
		return a
	}
	return F32{a.k, a.k.emit(ir.NewFMul(a.v, y.v))}
}

// Div returns a / b, correctly rounded.
func (a F32) Div(b any) F32 { return F32{a.k, a.k.emit(ir.NewFDiv(a.v, a.k.f32(b).v))} }

// Neg returns -a.
func (a F32) Neg() F32 { return F32{a.k, a.k.emit(ir.NewFNeg(a.v))} }

// Fma returns a*b + c, rounded once.
func (a F32) Fma(b, c any) F32 { return a.intrinsic("llvm.fma.f32", a.k.f32(b).v, a.k.f32(c).v) }

// Min returns the smaller; of a NaN and a number the number.
func (a F32) Min(b any) F32 { return a.intrinsic("llvm.minnum.f32", a.k.f32(b).v) }

// Max returns the larger; of a NaN and a number the number.
func (a F32) Max(b any) F32 { return a.intrinsic("llvm.maxnum.f32", a.k.f32(b).v) }

// Abs returns |a|.
func (a F32) Abs() F32 { return a.intrinsic("llvm.fabs.f32") }

// Sqrt returns the square root, correctly rounded.
func (a F32) Sqrt() F32 { return a.intrinsic("llvm.sqrt.f32") }

// Floor rounds down to an integer.
func (a F32) Floor() F32 { return a.intrinsic("llvm.floor.f32") }

func (a F32) intrinsic(name string, more ...value.Value) F32 {
	return F32{a.k, a.k.call(name, types.Float, append([]value.Value{a.v}, more...)...)}
}

func (a F32) compare(p enum.FPred, b any) Pred {
	return Pred{a.k, a.k.emit(ir.NewFCmp(p, a.v, a.k.f32(b).v))}
}

// Lt says whether a < b; false with a NaN, as are the next ones.
func (a F32) Lt(b any) Pred { return a.compare(enum.FPredOLT, b) }

// Le says whether a <= b.
func (a F32) Le(b any) Pred { return a.compare(enum.FPredOLE, b) }

// Gt says whether a > b.
func (a F32) Gt(b any) Pred { return a.compare(enum.FPredOGT, b) }

// Ge says whether a >= b.
func (a F32) Ge(b any) Pred { return a.compare(enum.FPredOGE, b) }

// Eq says whether a == b.
func (a F32) Eq(b any) Pred { return a.compare(enum.FPredOEQ, b) }

// IsNaN says whether a is not a number.
func (a F32) IsNaN() Pred { return a.compare(enum.FPredUNO, a) }
