// Package layers checks who imports whom. It parses the sources itself: a test that asks the
// go command would be cached while files change.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dsac/internal/fixture"
)

// may lists, for a folder and all below it that have no row of their own, the packages of this
// module that may be imported. Tests may import anything but cmd.
var may = map[string][]string{
	"cmd/dsac":            {"*"},
	"examples":            {"*"},
	"internal/bruteforce": {"runtime/gguf", "runtime/quant"},
	"internal/fixture":    {},
	"internal/layers":     {"internal/fixture"},
	"internal/plot":       {},
	"internal/tally":      {},
	"ir":                  {},
	"ir/ops":              {"ir", "runtime/plan", "runtime/ref"},
	"models":              {"ir", "ir/ops", "runtime/gguf", "runtime/quant"},
	"models/synth":        {"runtime/gguf", "runtime/quant"},
	"passes":              {"ir", "ir/ops", "codegen", "passes", "runtime/plan", "runtime/quant"},
	"passes/arena":        {},
	"passes/cases":        {"ir", "ir/ops", "passes", "runtime/plan"},
	"passes/cost":         {"ir", "ir/ops", "runtime/plan"},
	"docs/spec":           {},
	"passes/lint":         {"runtime/plan", "passes/lint", "docs/spec"},
	"passes/mutate":       {"runtime/plan", "passes/lint", "passes/mutate", "passes"},
	"codegen/emudev":      {"codegen/emu", "codegen/ptx", "runtime/plan", "runtime/check"},
	"codegen":             {"ir", "ir/ops", "codegen", "runtime/plan", "runtime/quant"},
	"runtime/plan":        {},
	"runtime/quant":       {"runtime/quant"},
	"runtime/tokenizer":   {},
	"runtime/sample":      {},
	"runtime/check":       {"runtime/plan", "runtime/host", "runtime/ref", "runtime/quant", "runtime/sample"},
	"runtime/chat":        {"runtime/tokenizer"},
	"runtime/gguf":        {"runtime/quant"},
	"runtime/ref":         {"runtime/plan", "runtime/quant", "runtime/sample"},
	"runtime/host":        {"runtime/ref", "runtime/plan", "runtime/quant", "runtime/gguf", "runtime/sample"},
	"runtime/cuda":        {"runtime/plan", "runtime/quant", "runtime/gguf", "runtime/sample"},
}

// stdOnly are the folders that may import nothing but the standard library.
var stdOnly = []string{"ir", "runtime/plan", "runtime/quant", "runtime/tokenizer", "runtime/sample", "runtime/gguf", "runtime/ref", "passes/arena", "passes/lint"}

func TestLayers(t *testing.T) {
	files := 0
	err := filepath.WalkDir(fixture.Root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (strings.HasPrefix(name, ".") && path != fixture.Root() || name == "testdata" || name == "bin" || name == "dist") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(fixture.Root(), path)
		if err != nil {
			return err
		}
		check(t, path, filepath.ToSlash(rel))
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files read: %v", files, err)
	}
}

func check(t *testing.T, path, rel string) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	row, ok := rowOf(rel)
	if !ok {
		t.Errorf("%s lies in a folder that has no row in the table of layers", rel)
		return
	}
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		own, module := strings.CutPrefix(p, "dsac/")
		switch {
		case module && !allowed(may[row], own):
			t.Errorf("%s imports %s; %s may import %v", rel, own, row, may[row])
		case !module && strings.Contains(strings.SplitN(p, "/", 2)[0], ".") && inStdOnly(row):
			t.Errorf("%s imports %s; %s may import the standard library only", rel, p, row)
		}
	}
}

// rowOf returns the most specific row of the table for a file.
func rowOf(rel string) (string, bool) {
	for dir := filepath.ToSlash(filepath.Dir(rel)); dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if _, ok := may[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

func allowed(list []string, own string) bool {
	for _, a := range list {
		if a == "*" || own == a || strings.HasPrefix(own, a+"/") {
			return true
		}
	}
	return false
}

func inStdOnly(row string) bool {
	for _, s := range stdOnly {
		if row == s {
			return true
		}
	}
	return false
}
