package product

import (
	"slices"
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
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
		{spec: codegen.Spec{Op: "matmul_add", Rows: 20, Operands: []codegen.OperandSpec{half(20, 256), mat("q5_k", 40, 256), act(20, 40), act(20, 40)}}},
		{spec: codegen.Spec{Op: "gate_up", Rows: 33, Operands: []codegen.OperandSpec{half(33, 512), mat("q4_k", 40, 512), mat("q6_k", 40, 512), act(33, 40)}}},
		{spec: codegen.Spec{Op: "head_matmul", Rows: 20, Operands: []codegen.OperandSpec{half(20, 4, 192), mat("q8_0", 4, 40, 192), act(20, 4, 40)}}, live: []int{20, 2}},
		{spec: matmul("q4_k", 17, 40, 512), scale: 1e6},
		{spec: matmul("q4_k", 300, 40, 512), scale: 1e6}, // more rows than a block has
	})
}

// TestTiledWide has the shape for the largest products.
func TestTiledWide(t *testing.T) {
	with(t, tileShapes[0])
	check(t, []trial{{spec: matmul("q4_k", 50, 300, 512), live: []int{50, 20}}})
}

// TestTiledOrders has shapes with each order of making operands and multiplying.
func TestTiledOrders(t *testing.T) {
	for _, c := range []struct {
		slots         int
		dtype         string
		early, unroll bool
	}{{128, "q4_k", false, false}, {104, "q5_k", false, true}, {104, "q6_k", true, true}} {
		s := tileShape{slots: c.slots, per: 2, warps: 8, split: 1, guard: 7}
		with(t, s)
		spec := matmul(c.dtype, c.slots, 64, 512)
		spec.Target, _ = codegen.FindTarget("sm_120")
		j, err := dense(&spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := newTiled(j); got.early() != c.early || got.unroll() == 4 != c.unroll {
			t.Errorf("%d rows of %s: early %v, %d parts", c.slots, c.dtype, got.early(), got.unroll())
		}
		check(t, []trial{{spec: matmul(c.dtype, c.slots, 64, 512), live: []int{c.slots, 60}}})
	}
}

// TestTiledSplit has shapes whose warps share the columns, also where some have one unit less.
func TestTiledSplit(t *testing.T) {
	for _, s := range []tileShape{
		{slots: 48, per: 2, warps: 8, split: 2, guard: 3},
		{slots: 32, per: 1, warps: 8, split: 4, guard: 2},
	} {
		with(t, s)
		check(t, []trial{
			{spec: matmul("q5_k", 50, 70, 768), live: []int{50, 5}},
			{spec: matmul("q8_0", 33, 40, 192)},
			{spec: matmul("q4_0", 33, 576, 64)}, // fills its blocks, whose number is no power of two
			{spec: matmul("q6_k", 20, 40, 1280), scale: 1e6},
		})
	}
}

// TestTiledTexts wants one kernel for all numbers of rows that fill blocks.
func TestTiledTexts(t *testing.T) {
	with(t, tileShape{slots: 32, per: 1, warps: 8, split: 2, guard: 2})
	oneText(t, matmul("q4_k", 64, 40, 512), matmul("q4_k", 128, 40, 512), matmul("q4_k", 2048, 40, 512))
	check(t, []trial{{spec: matmul("q4_k", 64, 40, 512), live: []int{64, 33}}, {spec: matmul("q4_k", 96, 40, 512), live: []int{96, 1}}})
}

// oneText wants one kernel for all specs.
func oneText(t *testing.T, specs ...codegen.Spec) {
	t.Helper()
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	g, err := codegen.FindTarget("sm_120")
	if err != nil {
		t.Fatal(err)
	}
	var trials []trial
	for _, s := range specs {
		trials = append(trials, trial{spec: s})
	}
	_, _, names := compile(t, tool, g, trials)
	var kernels []string
	for _, name := range names {
		kernels = append(kernels, name)
	}
	if slices.Sort(kernels); len(slices.Compact(kernels)) != 1 {
		t.Errorf("kernels %v, want one", names)
	}
}

// with leaves only one shape to choose from.
func with(t *testing.T, s tileShape) {
	all := tileShapes
	tileShapes = []tileShape{s}
	t.Cleanup(func() { tileShapes = all })
}
