package cases

import (
	"testing"

	"dsac/codegen/llc"
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
