package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dsac/codegen/llc"
	"dsac/codegen/ptxas"
	"dsac/internal/fixture"
	"dsac/passes"
	"dsac/runtime/plan"
)

// The full GLM-5.2 for sm_120: 5 s with an empty cache, 1 s with a warm one, a lint of 1 s.
// Assembling cubins, where ptxas is found, is most of the work and has 4 s more. No hot kernel
// spills registers.
func TestGateCompileGPU(t *testing.T) {
	fixture.Timed(t)
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	cold := 5 * time.Second
	if _, err := ptxas.Find(); err == nil {
		cold += 4 * time.Second
	} else if !errors.Is(err, ptxas.ErrAbsent) {
		t.Fatal(err)
	}
	t.Setenv("DSAC_CACHE", t.TempDir())
	gguf, out := header(t, "glm-5.2"), filepath.Join(t.TempDir(), "m.plan")
	var said string
	compile := func() { said += compileSays(t, gguf, "--target", "sm_120", "--ctx", "131072", "-o", out) }
	gate := func(what string, want time.Duration, tries int, f func()) {
		took := fixture.Best(tries, slack*want, f)
		t.Logf("%s: %v", what, took)
		if took > slack*want {
			t.Errorf("%s took %v, want at most %v (gate at %d times that)", what, took, want, slack)
		}
	}
	gate("compile with an empty cache", cold, 1, compile)
	gate("compile with a warm cache", time.Second, 2, compile)
	if strings.Contains(said, "spills") {
		t.Error(said)
	}
	m, err := plan.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	gate("analysis of all kernels for the lint", time.Second, 2, func() {
		if _, err := passes.LintOptions(m.Plan); err != nil {
			t.Fatal(err)
		}
	})
}

// compileSays compiles and returns what is printed beside the report.
func compileSays(t *testing.T, args ...string) string {
	t.Helper()
	cmd := newRoot()
	var said strings.Builder
	cmd.SetArgs(append([]string{"compile"}, args...))
	cmd.SetOut(&strings.Builder{})
	cmd.SetErr(&said)
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	return said.String()
}

// No hot kernel of a small model, whose shapes are at the other end, spills registers either.
func TestSmallModelsSpillNothing(t *testing.T) {
	if _, err := ptxas.Find(); err != nil {
		t.Skip(err)
	}
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	for _, target := range []string{"sm_90", "sm_120"} {
		said := compileSays(t, fixture.Path(t, "golden", "tiny", "q4_k_m.gguf"), "--target", target, "-o", filepath.Join(t.TempDir(), "m.plan"))
		if strings.Contains(said, "spills") {
			t.Error(said)
		}
	}
}

// Every kernel of a plan can be built again from the plan alone.
func TestKernelsAreBuiltAgain(t *testing.T) {
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	m, err := openModel(fixture.Path(t, "golden", "tiny", "q4_k_m.gguf"), "", 64)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	p, err := m.compile(context.Background(), passes.Options{Target: "sm_120", Ctx: m.ctx, Chunk: 512, KV: "f16", Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Kernels {
		name := p.Str(p.Kernels[i].Name)
		text, err := passes.LLVM(p, int32(i))
		if err != nil || strings.Count(text, "define ") != 1 || !strings.Contains(text, "@"+name+"(") {
			t.Errorf("kernel %s: %v\n%s", name, err, text)
		}
	}
}
