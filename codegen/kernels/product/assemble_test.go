package product

import (
	"os"
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/runtime/quant"
)

// TestAssemble makes kernels at the shapes of real models, which the emulator would take long
// over, for every type; for all targets when DSAC_ALL_TARGETS is set.
func TestAssemble(t *testing.T) {
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	x := func(op string, shape ...int) codegen.OperandSpec {
		if Halves(op, shape[0], quant.Q4_K) {
			return half(shape...)
		}
		return act(shape...)
	}
	var trials []trial
	for i := range formats {
		for _, rows := range []int{1, 8, 512} {
			trials = append(trials, trial{spec: matmul(formats[i].Type.String(), rows, 12288, 6144)})
		}
	}
	for _, rows := range []int{4, 8, 16} { // in clusters
		trials = append(trials, trial{spec: matmul("q4_k", rows, 6144, 16384)}, trial{spec: matmul("q8_0", rows, 6144, 16384)})
	}
	for _, cols := range []int{6144, 7168} { // of four rows
		trials = append(trials, trial{spec: codegen.Spec{Op: "gate_up", Rows: 4, Operands: []codegen.OperandSpec{act(4, cols), mat("q4_k", 12288, cols), mat("q4_k", 12288, cols), act(4, 12288)}}})
	}
	for _, dtype := range []string{"q4_k", "q5_k", "q6_k"} { // two rows are another product than eight
		trials = append(trials, trial{spec: matmul(dtype, 2, 6144, 16384)},
			trial{spec: codegen.Spec{Op: "gate_up", Rows: 2, Operands: []codegen.OperandSpec{act(2, 6144), mat(dtype, 12288, 6144), mat(dtype, 12288, 6144), act(2, 12288)}}})
	}
	for _, rows := range []int{1, 8, 16, 512, 2048} {
		trials = append(trials,
			trial{spec: codegen.Spec{Op: "gate_up", Rows: rows, Operands: []codegen.OperandSpec{x("gate_up", rows, 6144), mat("q4_k", 12288, 6144), mat("q4_k", 12288, 6144), act(rows, 12288)}}},
			trial{spec: codegen.Spec{Op: "head_matmul", Rows: rows, Operands: []codegen.OperandSpec{x("head_matmul", rows, 64, 192), mat("q8_0", 64, 512, 192), act(rows, 64, 512)}}},
			trial{spec: codegen.Spec{Op: "expert_gate_up", Rows: rows, Operands: []codegen.OperandSpec{x("expert_gate_up", rows, 6144), mat("q4_k", 256, 2048, 6144), mat("q4_k", 256, 2048, 6144), list(rows, 8), act(rows, 8, 2048)}}},
			trial{spec: codegen.Spec{Op: "expert_matmul", Rows: rows, Operands: []codegen.OperandSpec{x("expert_matmul", rows, 8, 2048), mat("q6_k", 256, 6144, 2048), list(rows, 8), act(rows, 8, 6144)}}},
			trial{spec: codegen.Spec{Op: "expert_down_add", Rows: rows, Operands: []codegen.OperandSpec{act(rows, 8, 2048), mat("q6_k", 256, 6144, 2048), list(rows, 8), act(rows, 8), act(rows, 6144), act(rows, 6144)}}})
	}
	targets := []string{"sm_120"}
	if os.Getenv("DSAC_ALL_TARGETS") != "" {
		targets = append(targets, "sm_80", "sm_90", "sm_120a")
	}
	for _, name := range targets {
		g, err := codegen.FindTarget(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := compile(t, tool, g, trials)
		for _, tr := range trials {
			l, _, _ := Make(&tr.spec)
			if int(l.Shared) > 101376 {
				t.Errorf("%s: %d bytes of shared memory", tr.spec.Key(), l.Shared)
			}
			t.Logf("%s %s: grid %v, %d bytes shared", tr.spec.Name(), tr.spec.Key(), l.Grid, l.Shared)
		}
		assemble(t, text, g)
	}
}
