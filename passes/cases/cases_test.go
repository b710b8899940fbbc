package cases

import (
	"testing"

	"dsac/codegen/kernels"
	"dsac/codegen/llc"
	"dsac/ir/ops"
	"dsac/passes"
	"dsac/runtime/plan"
)

// Every case has a name of its own, and becomes an entry whose steps have kernels.
func TestCasesCompile(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	p, err := passes.CompileCases(list, passes.Options{Target: "sm_90", Ctx: Ctx, Chunk: 2048, KV: "f16", Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Entries) != len(list) {
		t.Errorf("%d entries of %d cases", len(p.Entries), len(list))
	}
	for i := range p.Launches {
		if p.Launches[i].Kernel == plan.None {
			t.Errorf("launch %d has no kernel", i)
		}
	}
	if _, err := plan.Encode(p); err != nil {
		t.Error(err)
	}
}

// untimed are the families of kernels that no case runs, with the reason.
var untimed = map[string]string{
	"move":    "copies that fusion and folding remove; take_rows of a prefill moves one row",
	"topk":    "the router's form before fusion",
	"advance": "one warp that counts",
}

// Every family of kernels is timed, or has a reason not to be.
func TestEveryFamilyIsTimed(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	p, err := passes.CompileCases(list, passes.Options{Target: "sm_90", Ctx: Ctx, Chunk: 2048, KV: "f16", Bare: true})
	if err != nil {
		t.Fatal(err)
	}
	timed := make(map[string]bool)
	for i := range p.Steps {
		timed[ops.Find(p.Str(p.Steps[i].Op)).Kernel] = true
	}
	for _, f := range kernels.Table {
		if !timed[f.Name] && untimed[f.Name] == "" {
			t.Errorf("no case runs a kernel of family %s", f.Name)
		}
		if timed[f.Name] && untimed[f.Name] != "" {
			t.Errorf("family %s is timed, and listed as not", f.Name)
		}
	}
}
