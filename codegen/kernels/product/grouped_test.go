package product

import (
	"testing"

	"dsac/codegen"
	"dsac/runtime/quant/repack"
)

func up(dtype string, rows, slots, experts, n, k int) codegen.Spec {
	return codegen.Spec{Op: "expert_gate_up", Rows: rows, Operands: []codegen.OperandSpec{
		half(rows, k), mat(dtype, experts, n, k), mat(dtype, experts, n, k), list(rows, slots), act(rows, slots, n)}}
}

func down(dtype string, rows, slots, experts, n, k int) codegen.Spec {
	return codegen.Spec{Op: "expert_matmul", Rows: rows, Operands: []codegen.OperandSpec{
		half(rows, slots, k), mat(dtype, experts, n, k), list(rows, slots), act(rows, slots, n)}}
}

func spread(i int) int32 { return int32(i * 5 % 13 % 6) } // experts from 6 on have no pair
func one(int) int32      { return 3 }

func TestGrouped(t *testing.T) {
	check(t, []trial{
		{spec: up("q4_k", 63, 4, 8, 40, 512), idx: spread, live: []int{63, 1}},
		{spec: up("q4_k", 16, 4, 7, 40, 256), idx: one},
		{spec: down("q6_k", 17, 2, 8, 140, 512), idx: spread, live: []int{17, 16}},
		{spec: down("q6_k", 17, 2, 8, 140, 512), idx: one},
	})
}

// TestGroupedTypes has weights of every type, with an odd number of chunks where units are small.
func TestGroupedTypes(t *testing.T) {
	var trials []trial
	for i := range formats {
		cols := 192
		if l, err := repack.For(formats[i].Type); err == nil && l.UnitCols == 256 {
			cols = 512
		}
		trials = append(trials, trial{spec: down(formats[i].Type.String(), 20, 2, 6, 40, cols), idx: spread})
	}
	check(t, trials)
}

// TestGroupedPiped has so many pairs for each expert that operands are made ahead of time.
func TestGroupedPiped(t *testing.T) {
	var trials []trial
	for _, dtype := range []string{"q4_k", "q6_k", "iq4_xs", "mxfp4", "f16"} {
		trials = append(trials, trial{spec: down(dtype, 90, 4, 6, 40, 512), idx: spread, live: []int{90}})
	}
	check(t, append(trials,
		trial{spec: up("q4_k", 120, 2, 4, 40, 768), idx: func(i int) int32 { return int32(i % 4) }, live: []int{120, 17}},
		trial{spec: up("q8_0", 120, 2, 4, 40, 192), idx: one, live: []int{120}}))
}

// TestGroupedTexts wants one kernel for 16 and for 128 rows.
func TestGroupedTexts(t *testing.T) {
	oneText(t, up("q4_k", 16, 8, 256, 40, 256), up("q4_k", 128, 8, 256, 40, 256))
	oneText(t, down("q6_k", 16, 8, 256, 40, 256), down("q6_k", 128, 8, 256, 40, 256))
	check(t, []trial{{spec: up("q4_k", 48, 2, 32, 40, 256), idx: spread, live: []int{48, 33}}})
}

// TestGroupedScales has rows past 2^14, and tiles after the first that their factors hold for.
func TestGroupedScales(t *testing.T) {
	check(t, []trial{
		{spec: up("q8_0", 20, 2, 6, 40, 128), idx: spread, scale: 1e6},
		{spec: down("q8_0", 20, 2, 600, 300, 64), idx: spread, scale: 40000},
	})
}

// TestGroupedManyPairs has more pairs than a block looks at in a word of each thread, and than
// it multiplies in one go, and rows of x that are not 16 bytes apart.
func TestGroupedManyPairs(t *testing.T) {
	check(t, []trial{
		{spec: down("q8_0", 1100, 8, 6, 16, 64), idx: spread, live: []int{1090}},
		{spec: up("f16", 40, 3, 5, 20, 70), idx: func(i int) int32 { return int32(i % 5) }, live: []int{33}},
	})
}
