package codegen

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// intOp is a binary operation on integers: how to emit it, and what it gives for constants.
type intOp struct {
	name string
	make func(x, y value.Value) instruction
	fold func(x, y int64) (int64, bool)
}

func total(f func(x, y int64) int64) func(x, y int64) (int64, bool) {
	return func(x, y int64) (int64, bool) { return f(x, y), true }
}

// noFold leaves constants to llc, where the result depends on the width.
func noFold(x, y int64) (int64, bool) { return 0, false }

// nonNegative folds unsigned operations where they agree with signed ones.
func nonNegative(f func(x, y int64) int64) func(x, y int64) (int64, bool) {
	return func(x, y int64) (int64, bool) {
		if x < 0 || y < 0 {
			return 0, false
		}
		return f(x, y), true
	}
}

func divide(f func(x, y int64) int64) func(x, y int64) (int64, bool) {
	return func(x, y int64) (int64, bool) {
		if x < 0 || y <= 0 {
			return 0, false
		}
		return f(x, y), true
	}
}

var (
	opAdd  = intOp{"add", func(x, y value.Value) instruction { return ir.NewAdd(x, y) }, total(func(x, y int64) int64 { return x + y })}
	opSub  = intOp{"sub", func(x, y value.Value) instruction { return ir.NewSub(x, y) }, total(func(x, y int64) int64 { return x - y })}
	opMul  = intOp{"mul", func(x, y value.Value) instruction { return ir.NewMul(x, y) }, total(func(x, y int64) int64 { return x * y })}
	opUDiv = intOp{"udiv", func(x, y value.Value) instruction { return ir.NewUDiv(x, y) }, divide(func(x, y int64) int64 { return x / y })}
	opURem = intOp{"urem", func(x, y value.Value) instruction { return ir.NewURem(x, y) }, divide(func(x, y int64) int64 { return x % y })}
	opAnd  = intOp{"and", func(x, y value.Value) instruction { return ir.NewAnd(x, y) }, total(func(x, y int64) int64 { return x & y })}
	opOr   = intOp{"or", func(x, y value.Value) instruction { return ir.NewOr(x, y) }, total(func(x, y int64) int64 { return x | y })}
	opXor  = intOp{"xor", func(x, y value.Value) instruction { return ir.NewXor(x, y) }, total(func(x, y int64) int64 { return x ^ y })}
	opShl  = intOp{"shl", func(x, y value.Value) instruction { return ir.NewShl(x, y) }, noFold}
	opShr  = intOp{"lshr", func(x, y value.Value) instruction { return ir.NewLShr(x, y) }, nonNegative(func(x, y int64) int64 { return x >> y })}
	opSar  = intOp{"ashr", func(x, y value.Value) instruction { return ir.NewAShr(x, y) }, nonNegative(func(x, y int64) int64 { return x >> y })}
)

// neutral says for which right operand an operation gives its left one.
var neutral = map[string]int64{"add": 0, "sub": 0, "mul": 1, "udiv": 1, "or": 0, "xor": 0, "shl": 0, "lshr": 0, "ashr": 0}

// known returns the value of an integer constant.
func known(v value.Value) (int64, bool) {
	c, ok := v.(*constant.Int)
	if !ok {
		return 0, false
	}
	if c.Typ.BitSize == 1 {
		return int64(c.X.Bit(0)), true
	}
	return c.X.Int64(), true
}

// apply emits x op y, or gives the result when it is known now.
func (op *intOp) apply(k *K, x, y value.Value) value.Value {
	cx, xok := known(x)
	cy, yok := known(y)
	t := x.Type().(*types.IntType)
	if n, has := neutral[op.name]; yok && has && cy == n {
		return x
	}
	if op.name == "add" && xok && cx == 0 {
		return y
	}
	if op.name == "mul" && (xok && cx == 0 || yok && cy == 0) {
		return constant.NewInt(t, 0)
	}
	if xok && yok {
		if z, ok := op.fold(cx, cy); ok {
			if t.BitSize == 32 {
				z = int64(int32(z))
			}
			return constant.NewInt(t, z)
		}
	}
	return k.emit(op.make(x, y))
}

// compare emits a comparison.
func compare(k *K, p enum.IPred, x, y value.Value) Pred {
	cx, xok := known(x)
	cy, yok := known(y)
	if xok && yok && cx >= 0 && cy >= 0 {
		return k.Bool(map[enum.IPred]bool{
			enum.IPredEQ: cx == cy, enum.IPredNE: cx != cy,
			enum.IPredSLT: cx < cy, enum.IPredSLE: cx <= cy, enum.IPredSGT: cx > cy, enum.IPredSGE: cx >= cy,
			enum.IPredULT: cx < cy, enum.IPredULE: cx <= cy, enum.IPredUGT: cx > cy, enum.IPredUGE: cx >= cy,
		}[p])
	}
	return Pred{k, k.emit(ir.NewICmp(p, x, y))}
}
