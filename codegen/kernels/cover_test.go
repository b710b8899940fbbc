package kernels

import (
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/codegen/ptx"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// coverEmulated are the ops whose stores go where a loaded number says, or are spread in a way
// that the checker does not follow, or that count in the control buffer, which the checker then
// takes nothing for granted of: that they write all of their results is for the emulator to find.
var coverEmulated = map[string]bool{
	"half_rows": true, "router": true, "topk": true, "append": true, "append2": true,
	"select_topk": true, "index_topk": true, "index_scores": true, "mqa_partial": true, "rope": true, "sample_sift": true,
}

// With all rows live, the checker proves that every byte of the results is written.
func TestCoverIsProved(t *testing.T) {
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	g, err := codegen.FindTarget("sm_120")
	if err != nil {
		t.Fatal(err)
	}
	list := samples()
	var specs []*codegen.Spec
	for i := range list {
		list[i].Target = g
		specs = append(specs, &list[i])
	}
	set, err := Compile(g, specs, Tools{LLC: tool, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range set.Entries {
		s := specs[i]
		if coverEmulated[s.Op] || s.Op == "mqa_attend" && s.Operands[4].DType == "f16" { // which counts
			continue
		}
		entry := set.Module.Entry(e.Name)
		launch := ptx.Launch{Grid: e.Launch.Grid, Block: e.Launch.Block, DynShared: int(e.Launch.Shared)}
		live := ptx.Assume{Param: len(entry.Params) - 1, Off: plan.CtlN, Bytes: 4, Lo: int64(s.Rows), Hi: int64(s.Rows)}
		full, err := ptx.AnalyzeAssuming(entry, launch, []ptx.Assume{live})
		if err != nil {
			t.Errorf("%s: %v", s.Key(), err)
			continue
		}
		for j, o := range ops.Find(s.Op).Operands {
			if o.Effect != ir.Write {
				continue
			}
			if got, want := full.Params[j].Prefix(), int64(bytesOf(s.Operands[j])); got != want {
				t.Errorf("%s: operand %s: %d of %d bytes are proved to be written (exact: %v)", s.Key(), o.Name, got, want, full.Params[j].Exact)
			}
		}
	}
}
