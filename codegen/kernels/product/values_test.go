package product

import (
	"testing"

	"dsac/codegen"
)

func TestValues(t *testing.T) {
	values := func(dtype string, t, parts, heads, n, k int) codegen.Spec {
		return codegen.Spec{Op: "mqa_values", Rows: t, Operands: []codegen.OperandSpec{
			{DType: "f16", Shape: []int{t, parts, heads, k}}, act(t, parts, heads, 2), mat(dtype, heads, n, k), act(t, heads, n)}}
	}
	check(t, []trial{
		{spec: values("q8_0", 1, 32, 2, 256, 512)},
		{spec: values("q8_0", 3, 5, 2, 40, 192), live: []int{3, 2}},
		{spec: values("q8_0", 8, 4, 1, 48, 512), live: []int{8, 1}},
		{spec: values("q5_0", 2, 33, 3, 20, 64)},
		{spec: values("q4_k", 2, 3, 2, 272, 512)},
		{spec: values("q4_k", 1, 2, 1, 16, 2560)},
		{spec: values("q6_k", 16, 2, 2, 32, 256), live: []int{16, 9}},
		{spec: values("q8_0", 4, 2, 1, 40, 1280), live: []int{4, 3}},
		{spec: values("bf16", 1, 1, 2, 24, 96)},
	})
}
