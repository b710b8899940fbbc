package product

import (
	"testing"

	"dsac/codegen"
)

func TestPlain(t *testing.T) {
	experts := func(i int) int32 { return int32(i * 5 % 7 % 4) }
	check(t, []trial{
		{spec: matmul("f32", 1, 33, 640)},
		{spec: matmul("f32", 3, 33, 70), live: []int{3, 1}},
		{spec: matmul("f32", 63, 256, 256), live: []int{63, 17}},
		{spec: codegen.Spec{Op: "gate_up", Rows: 2, Operands: []codegen.OperandSpec{act(2, 64), mat("f32", 10, 64), mat("f32", 10, 64), act(2, 10)}}},
		{spec: codegen.Spec{Op: "head_matmul", Rows: 3, Operands: []codegen.OperandSpec{act(3, 4, 24), mat("f32", 4, 10, 24), act(3, 4, 10)}}},
		{spec: codegen.Spec{Op: "expert_down_add", Rows: 2, Operands: []codegen.OperandSpec{act(2, 3, 96), mat("f32", 4, 40, 96), list(2, 3), act(2, 3), act(2, 40), act(2, 40)}}, idx: experts, live: []int{2, 1}},
	})
}
