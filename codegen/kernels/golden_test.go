package kernels

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/codegen/llc"
	"dsac/ir"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden are kernels whose text is kept: LLVM IR to the letter, of the PTX the lines that
// must and must not be there.
var golden = []struct {
	file   string
	spec   codegen.Spec
	has    []string
	hasNot []string
}{
	{"add.ll", codegen.Spec{Op: "add", Operands: operands(dense(8, 6144), dense(8, 6144), dense(8, 6144)), Rows: 8},
		[]string{"ld.global.v4.f32", "st.global.v4.f32", "add.rn.f32", ".maxntid 256"},
		[]string{"ld.local", "st.local", "cvta", "div.", "rem."}},
	{"rmsnorm.ll", codegen.Spec{Op: "rmsnorm", Operands: operands(dense(8, 6144), dense(6144), dense(8, 6144)), Rows: 8, Attrs: ir.Attrs{{Name: "eps", Val: 1e-5}}},
		[]string{"ld.global.v4.f32", "ld.global.nc.v4.f32", "st.global.v4.f32", "shfl.sync.bfly.b32", "bar.sync", "fma.rn.f32", "sqrt.rn.f32"},
		[]string{"ld.local", "st.local", "cvta", "div.", ".f64"}},
}

func TestGolden(t *testing.T) {
	g, err := codegen.FindTarget("sm_120")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range golden {
		t.Run(c.file, func(t *testing.T) {
			c.spec.Target = g
			m := codegen.NewModule(g)
			if _, _, err := Add(m, &c.spec); err != nil {
				t.Fatal(err)
			}
			got, err := m.Build()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("LLVM IR differs from %s (go test -update rewrites it); got\n%s", path, got)
			}
			for _, tool := range llc.All() {
				text, err := tool.Compile(got, g, "test")
				if err != nil {
					t.Fatal(err)
				}
				for _, line := range c.has {
					if !strings.Contains(text, line) {
						t.Errorf("llc %s: no %q in the PTX", tool.Version, line)
					}
				}
				for _, line := range c.hasNot {
					if strings.Contains(text, line) {
						t.Errorf("llc %s: %q in the PTX", tool.Version, line)
					}
				}
			}
		})
	}
}
