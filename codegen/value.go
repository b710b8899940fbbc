package codegen

import (
	"math"

	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// val is a value of a kernel; the exported types say which.
type val struct {
	k *K
	v value.Value
}

// The value types. Numbers narrower than 32 bits exist in memory only.
type (
	I32  val // integer, signed where it matters
	I64  val
	F32  val
	H2   val // two f16 in one register, the first in the low half
	Pred val // true or false
)

// Value is any of the value types.
type Value interface{ I32 | I64 | F32 | H2 | Pred }

// raw returns v without its type.
func raw[T Value](v T) val { return val(v) }

// I32 makes a constant; n may be given signed or unsigned.
func (k *K) I32(n int) I32 {
	if n < math.MinInt32 || n > math.MaxUint32 {
		k.failf("constant %d does not fit 32 bits", n)
	}
	return I32{k, constant.NewInt(types.I32, int64(int32(uint32(n))))}
}

// I64 makes a constant.
func (k *K) I64(n int64) I64 { return I64{k, constant.NewInt(types.I64, n)} }

// F32 makes a constant, rounded to float32.
func (k *K) F32(x float64) F32 { return F32{k, float(float32(x))} }

// Bool makes a constant.
func (k *K) Bool(b bool) Pred { return Pred{k, constant.NewBool(b)} }

// i32 takes an I32 or a Go integer.
func (k *K) i32(x any) I32 {
	switch x := x.(type) {
	case I32:
		return x
	case int:
		return k.I32(x)
	case uint32:
		return k.I32(int(x))
	}
	k.failf("%T where an I32 or an integer is wanted", x)
	return k.I32(0)
}

// i64 takes an I64 or a Go integer.
func (k *K) i64(x any) I64 {
	switch x := x.(type) {
	case I64:
		return x
	case int:
		return k.I64(int64(x))
	case int64:
		return k.I64(x)
	case uint64:
		return k.I64(int64(x))
	}
	k.failf("%T where an I64 or an integer is wanted", x)
	return k.I64(0)
}

// f32 takes an F32 or a Go number.
func (k *K) f32(x any) F32 {
	switch x := x.(type) {
	case F32:
		return x
	case float64:
		return k.F32(x)
	case float32:
		return k.F32(float64(x))
	case int:
		return k.F32(float64(x))
	}
	k.failf("%T where an F32 or a number is wanted", x)
	return k.F32(0)
}

// float makes a constant; NaN has no place in a kernel.
func float(x float32) value.Value { return constant.NewFloat(types.Float, float64(x)) }

// KernelOf returns the kernel that a value belongs to, for functions that only have values.
func KernelOf[T Value](x T) *K { return raw(x).k }
