package kernels

import (
	"slices"
	"strings"
	"testing"

	"dsac/codegen"
	"dsac/ir/ops"
)

// Every family is one that ops name, once; its types and layouts speak of operands that its
// ops have.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Table {
		if seen[f.Name] {
			t.Errorf("family %s is listed twice", f.Name)
		}
		seen[f.Name] = true
		var operands []string
		for _, op := range ops.Table {
			if op.Kernel == f.Name {
				for _, o := range op.Operands {
					operands = append(operands, o.Name)
				}
			}
		}
		if operands == nil {
			t.Errorf("no op has kernels of family %s", f.Name)
		}
		for name := range f.Types {
			if !slices.Contains(operands, name) {
				t.Errorf("family %s types operand %s, which its ops do not have", f.Name, name)
			}
		}
		for name := range f.Layouts {
			if !slices.Contains(operands, name) {
				t.Errorf("family %s lays out operand %s, which its ops do not have", f.Name, name)
			}
		}
	}
}

func TestMakeRefuses(t *testing.T) {
	g, err := codegen.FindTarget("sm_90")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec codegen.Spec
		want string
	}{
		{codegen.Spec{Op: "nothing", Rows: 1, Target: g}, `no op is named "nothing"`},
		{codegen.Spec{Op: "add", Rows: 1, Operands: operands(dense(1, 4), dense(1, 4), dense(1, 4))}, "add: no target"},
		{codegen.Spec{Op: "add", Rows: 0, Target: g}, "add: 0 rows, want at least one"},
		{codegen.Spec{Op: "add", Rows: 1, Target: g}, "add: 0 operands, want 3"},
		{codegen.Spec{Op: "add", Rows: 1, Target: g, Operands: operands(dense(1, 4), typed("f16", 1, 4), dense(1, 4))}, "op add: operand b is f16, its GPU kernels take f32"},
		{codegen.Spec{Op: "rmsnorm", Rows: 1, Target: g, Operands: operands(dense(1, 4), dense(4), dense(1, 4))}, "rmsnorm: attribute eps is missing"},
		{codegen.Spec{Op: "concat", Rows: 1, Target: g, Operands: operands(columns(dense(1, 4), 2, 6), dense(1, 4), dense(1, 8))}, "concat: operand a: columns [2, 6) of 4"},
		{codegen.Spec{Op: "embed", Rows: 1, Target: g, Operands: operands(typed("i32", 1), typed("iq2_xxs", 9, 256), dense(1, 256))}, "op embed: operand table is iq2_xxs, its GPU kernels take bf16 f16 f32"},
	} {
		_, err := Make(&c.spec)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// A kernel's name tells all that its text depends on: specs that differ in anything differ in
// their names, and equal ones share a kernel.
func TestNames(t *testing.T) {
	sm90, _ := codegen.FindTarget("sm_90")
	sm120, _ := codegen.FindTarget("sm_120")
	base := codegen.Spec{Op: "add", Rows: 2, Target: sm90, Operands: operands(dense(2, 8), dense(2, 8), dense(2, 8))}
	other := []codegen.Spec{base, base, base, base, base}
	other[0].Rows = 3
	other[1].Target = sm120
	other[2].Operands = operands(dense(2, 8), dense(2, 8), dense(8, 2))
	other[3].Operands = operands(columns(dense(2, 8), 0, 8), dense(2, 8), dense(2, 8))
	other[4].Context = 9
	names := map[string]bool{base.Name(): true}
	for i, s := range other {
		if names[s.Name()] {
			t.Errorf("spec %d (%s) shares its name with another", i, s.Key())
		}
		names[s.Name()] = true
	}
	m := codegen.NewModule(sm90)
	for range 2 {
		if _, _, err := Add(m, &base); err != nil {
			t.Fatal(err)
		}
	}
	// Only the launch depends on the number of rows, not the kernel.
	more := codegen.Spec{Op: "add", Rows: 500, Target: sm90, Operands: operands(dense(500, 8), dense(500, 8), dense(500, 8))}
	name, launch, err := Add(m, &more)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Names) != 1 || name != m.Names[0] || launch.Grid[0] != 500 {
		t.Errorf("got kernels %v, name %s, launch %+v, want one kernel and 500 blocks", m.Names, name, launch)
	}
	text, err := m.Build()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "define "); n != 1 {
		t.Errorf("%d functions in the module, want one", n)
	}
}
