package kernels

import (
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/codegen/ptxas"
	"dsac/ir"
	"dsac/runtime/plan"
)

// samples has a spec or more for every family: kernels at sizes of real models, where the
// others are small.
func samples() []codegen.Spec {
	rope := ir.Attrs{}.With("base", 8e6).With("off", int64(192)).With("dims", int64(64)).With("style", "interleaved")
	list := []codegen.Spec{
		{Op: "add", Rows: 2048, Operands: operands(dense(2048, 6144), dense(2048, 6144), dense(2048, 6144))},
		// More rows than a grid's second dimension has blocks, more bytes than 32 bits count.
		{Op: "silu_mul", Rows: 65535, Operands: operands(dense(65535, 20480), dense(65535, 20480), dense(65535, 20480))},
		{Op: "silu_mul", Rows: 65536, Operands: operands(dense(65536, 20480), dense(65536, 20480), dense(65536, 20480))},
		{Op: "rmsnorm", Rows: 65536, Operands: operands(dense(65536, 6144), dense(6144), dense(65536, 6144)), Attrs: ir.Attrs{{Name: "eps", Val: 1e-5}}},
		{Op: "layernorm", Rows: 2048, Operands: operands(dense(2048, 128), dense(128), dense(128), dense(2048, 128)), Attrs: ir.Attrs{{Name: "eps", Val: 1e-6}}},
		{Op: "half_rows", Rows: 2048, Operands: operands(dense(2048, 64, 256), typed("f16", 2048, plan.HalfWidth(16384))), Attrs: ir.Attrs{}.With("flat", int64(1))},
		{Op: "rope", Rows: 2048, Operands: operands(dense(2048, 64, 256), dense(2048, 64, 256)), Attrs: rope},
		{Op: "append2", Rows: 2048, Operands: operands(columns(dense(2048, 576), 0, 512), dense(2048, 64), typed("f16", 1<<20, 576))},
		{Op: "router", Rows: 2048, Operands: operands(dense(2048, 256), dense(256), typed("i32", 2048, 8), dense(2048, 8)), Attrs: ir.Attrs{}.With("k", int64(8)).With("norm", int64(1)).With("scale", 2.5)},
		{Op: "topk", Rows: 2048, Operands: operands(dense(2048, 256), typed("i32", 2048, 8)), Attrs: ir.Attrs{}.With("k", int64(8))},
		{Op: "expert_combine", Rows: 2048, Operands: operands(dense(2048, 8, 6144), dense(2048, 8), dense(2048, 6144))},
		{Op: "take_rows", Rows: 2048, Operands: operands(dense(2048, 6144), dense(1, 6144))},
		{Op: "advance", Rows: 1, Operands: operands(typed("u8", plan.CtlSize), typed("i32", 1))},
	}
	list = append(list, attentionSamples()...)
	list = append(list, choiceSpecs(1, 154880)...)
	for _, dtype := range strings.Fields(embedTypes) {
		list = append(list, codegen.Spec{Op: "embed", Rows: 2048, Operands: operands(typed("i32", 2048), typed(dtype, 154880, 6144), dense(2048, 6144))})
	}
	return list
}

// Every kernel is accepted by every llc that is here for every target, and by ptxas where it
// makes a difference; none spills registers, and all accesses stay inside their operands.
func TestEveryTarget(t *testing.T) {
	tools := llc.All()
	if len(tools) == 0 {
		_, err := llc.Find()
		t.Skip(err)
	}
	for _, name := range []string{"sm_80", "sm_90", "sm_120", "sm_120a"} {
		for i, tool := range tools {
			t.Run(name+" llc "+tool.Version, func(t *testing.T) {
				g, err := codegen.FindTarget(name)
				if err != nil {
					t.Fatal(err)
				}
				list := samples()
				var specs []*codegen.Spec
				for i := range list {
					list[i].Target = g
					specs = append(specs, &list[i])
				}
				var as *ptxas.Tool
				if i == 0 && (name == "sm_90" || name == "sm_120") {
					if as, err = findPtxas(); err != nil {
						t.Log(err)
					}
				}
				set, err := Compile(g, specs, Tools{LLC: tool, Ptxas: as, Version: "test"})
				if err != nil {
					t.Fatal(err)
				}
				for i, e := range set.Entries {
					if e.Usage.SpillLoad+e.Usage.SpillStore > 0 {
						t.Errorf("%s spills registers: %+v", e.Name, e.Usage)
					}
					tr := trial{spec: list[i]}
					tr.analyze(t, e.Does)
					t.Logf("%-20s %+v", e.Name, e.Usage)
				}
			})
		}
	}
}
