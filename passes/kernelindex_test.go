package passes

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"dsac/codegen/llc"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

const twoKernels = `graph step {
	arg %0 = input "x" : f32[Tx512]
	arg %1 = weight "a" : f32[512]
	arg %2 = weight "w" : f32[16x512]
	%3 = rmsnorm %0, %1 {eps: 1e-05} : f32[Tx512] @ "n"
	%4 = matmul %3, %2 : f32[Tx16] @ "y"
	return %4
}
`

// compileTwo returns the bytes of a plan of two kernels for each number of rows.
func compileTwo(t *testing.T, rows ...int) []byte {
	t.Helper()
	var cases []Case
	for i, n := range rows {
		g, err := ir.Parse(twoKernels, ops.Find)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, Case{Name: string(rune('a' + i)), Rows: n, Len: n, Graph: g})
	}
	p, err := CompileCases(cases, Options{Target: "sm_90", Ctx: 64, Chunk: 16, KV: "f16", Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := plan.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A plan compiled again is the same plan, whatever is left of the cache.
func TestPlanCompiledAgain(t *testing.T) {
	tool, err := llc.Find()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	t.Setenv("DSAC_CACHE", dir)
	want := compileTwo(t, 1, 4)
	index := cached(t, dir, indexKind)
	if len(index) != 1 {
		t.Fatalf("%d indices of one plan", len(index))
	}
	again := func(what string) {
		t.Helper()
		if !bytes.Equal(compileTwo(t, 1, 4), want) {
			t.Errorf("%s: another plan", what)
		}
	}
	// An llc that says its version and makes nothing: no kernel may need it.
	broken := filepath.Join(t.TempDir(), "llc")
	script := "#!/bin/sh\nif [ \"$1\" = --version ]; then exec " + tool.Path + " --version; fi\nexit 1\n"
	if err := os.WriteFile(broken, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DSAC_LLC", broken)
	again("all kept")
	t.Setenv("DSAC_LLC", tool.Path)

	overwrite(t, index[0])
	again("a damaged index")
	for _, f := range cached(t, dir, "ptx") {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	again("no PTX")
	overwrite(t, cached(t, dir, "ptx")[0])
	again("damaged PTX")
	if err := os.RemoveAll(filepath.Join(dir, "cubin")); err != nil {
		t.Fatal(err)
	}
	again("no cubins")

	if bytes.Equal(compileTwo(t, 4, 1), want) || bytes.Equal(compileTwo(t, 1, 8), want) || len(cached(t, dir, indexKind)) != 3 {
		t.Error("plans of other kernels share the index")
	}
}

// The index is of one version of every tool.
func TestIndexKeyNamesTheTools(t *testing.T) {
	g := newKernelSet(plan.NewBuilder(), Targets["sm_90"].GPU)
	g.wanted = []*wanted{{key: "k"}}
	key := g.indexKey(&tools{llc: &llc.Tool{Version: "1"}, version: "v"})
	if len(key) != 64 {
		t.Fatalf("key %q", key)
	}
	for what, tl := range map[string]*tools{"llc": {llc: &llc.Tool{Version: "2"}, version: "v"}, "version": {llc: &llc.Tool{Version: "1"}, version: "w"}} {
		if g.indexKey(tl) == key {
			t.Errorf("another %s, the same key", what)
		}
	}
}

// cached lists the files of one kind in a cache.
func cached(t *testing.T, dir, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, kind, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// overwrite damages the content of a file.
func overwrite(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-2] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
