package product

import (
	"testing"

	"dsac/codegen"
)

func TestGrouped(t *testing.T) {
	spread := func(i int) int32 { return int32(i * 5 % 13 % 6) } // experts 6 and 7 have no pair
	one := func(i int) int32 { return 3 }
	up := func(rows int) codegen.Spec {
		return codegen.Spec{Op: "expert_gate_up", Rows: rows, Operands: []codegen.OperandSpec{act(rows, 256), mat("q4_k", 8, 40, 256), mat("q4_k", 8, 40, 256), list(rows, 4), act(rows, 4, 40)}}
	}
	down := codegen.Spec{Op: "expert_matmul", Rows: 17, Operands: []codegen.OperandSpec{act(17, 2, 512), mat("q6_k", 8, 140, 512), list(17, 2), act(17, 2, 140)}}
	check(t, []trial{
		{spec: up(63), idx: spread, live: []int{63, 1}},
		{spec: up(16), idx: one},
		{spec: down, idx: spread, live: []int{17, 16}},
		{spec: down, idx: one},
	})
}
