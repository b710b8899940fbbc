package product

import (
	"testing"

	"dsac/codegen"
)

func TestTiledTypes(t *testing.T) {
	var trials []trial
	for i := range formats {
		dtype := formats[i].Type.String()
		trials = append(trials, trial{spec: matmul(dtype, 17, 40, 512)})
	}
	check(t, trials)
}

func TestTiledShapes(t *testing.T) {
	check(t, []trial{
		{spec: matmul("q4_k", 63, 130, 768), live: []int{63, 33}},
		{spec: matmul("q8_0", 63, 33, 96), live: []int{63}},
		{spec: matmul("f16", 20, 20, 70)},
		{spec: matmul("q6_k", 40, 40, 17*256), live: []int{17}},
		{spec: codegen.Spec{Op: "matmul_add", Rows: 20, Operands: []codegen.OperandSpec{act(20, 256), mat("q5_k", 40, 256), act(20, 40), act(20, 40)}}},
		{spec: codegen.Spec{Op: "gate_up", Rows: 33, Operands: []codegen.OperandSpec{act(33, 512), mat("q4_k", 40, 512), mat("q6_k", 40, 512), act(33, 40)}}},
		{spec: codegen.Spec{Op: "head_matmul", Rows: 20, Operands: []codegen.OperandSpec{act(20, 4, 192), mat("q8_0", 4, 40, 192), act(20, 4, 40)}}, live: []int{20, 2}},
		{spec: matmul("q4_k", 17, 40, 512), scale: 1e6},
	})
}

// TestTiledWide has the shape for the largest products.
func TestTiledWide(t *testing.T) {
	all := tileShapes
	tileShapes = all[:1]
	defer func() { tileShapes = all }()
	check(t, []trial{{spec: matmul("q4_k", 50, 300, 512)}})
}
