package ref

import (
	"math/rand/v2"
	"testing"
)

func TestShapeRules(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	f := func(shape ...int) Arg { return arg(t, r, "f32", shape...) }
	for _, c := range []struct {
		op   string
		args []Arg
		want string // "": fits
	}{
		{"matmul", []Arg{f(2, 3), f(4, 3), f(2, 4)}, ""},
		{"matmul", []Arg{f(2, 3, 5), f(4, 15), f(2, 2, 2)}, ""},
		{"matmul", []Arg{columns(t, f(2, 9), 3, 3), f(4, 3), f(2, 4)}, ""},
		{"matmul", []Arg{f(2, 3), f(4, 3)}, "2 operands, want 3"},
		{"matmul", []Arg{f(2, 3), f(4, 5), f(2, 4)}, "operand 1: shape [4 5] does not fit nk: k is 5 here and 3 before"},
		{"matmul", []Arg{f(2, 3), f(4, 3), f(3, 4)}, "operand 2: shape [3 4] does not fit tn: t is 3 here and 2 before"},
		{"matmul", []Arg{f(3), f(4, 3), f(2, 4)}, "operand 0: shape [3], want 2 dimensions (tk)"},
		{"matmul", []Arg{columns(t, f(2, 2, 4), 0, 2), f(4, 4), f(2, 4)}, "operand 0: column selection of [2 2 4], seen as rows of the first dimension"},
		{"add", []Arg{f(2, 3, 4), f(2, 3, 4), f(2, 3, 4)}, ""},
		{"add", []Arg{f(2, 3, 4), f(2, 4, 4), f(2, 3, 4)}, "operand 1: shape [2 4 4] does not fit *c: * is 8 here and 6 before"},
		{"concat", []Arg{f(2, 3), f(2, 4), f(2, 7)}, ""},
		{"concat", []Arg{f(2, 3), f(2, 4), f(2, 8)}, "operand 2: shape [2 8] does not fit *a+b: a+b is 8 here and 7 before"},
		{"append2", []Arg{f(2, 3), f(2, 4), f(9, 7)}, ""},
		{"expert_matmul", []Arg{f(2, 3), f(5, 4, 3), arg(t, r, "i32", 2, 2), f(2, 2, 4)}, ""},
		{"expert_matmul", []Arg{f(2, 2, 3), f(5, 4, 3), arg(t, r, "i32", 2, 2), f(2, 2, 4)}, ""},
		{"expert_matmul", []Arg{f(2, 3), f(5, 4, 3), arg(t, r, "i32", 2, 2), f(2, 3, 4)}, "operand 3: shape [2 3 4] does not fit tsn: s is 3 here and 2 before"},
	} {
		op, _ := Lookup(c.op)
		got := ""
		if err := op.Bind(c.args); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.op, got, c.want)
		}
	}
}

// TestTable: names are unique, and Lookup finds every row.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for i := range Table {
		op := &Table[i]
		if seen[op.Name] {
			t.Errorf("two rows for %s", op.Name)
		}
		seen[op.Name] = true
		if got, ok := Lookup(op.Name); !ok || got != op {
			t.Errorf("lookup of %s gives another row", op.Name)
		}
		if op.Run == nil || op.Operands() == 0 {
			t.Errorf("%s has no reference or no operands", op.Name)
		}
	}
	if _, ok := Lookup("conv"); ok {
		t.Error("an unknown op was found")
	}
}
