package ops

import (
	"slices"
	"sort"
	"strings"
	"testing"

	"dsac/ir"
	"dsac/runtime/plan"
	"dsac/runtime/ref"
)

// The laws of the table.
func TestLaws(t *testing.T) {
	if !sort.SliceIsSorted(Table, func(i, j int) bool { return Table[i].Name < Table[j].Name }) {
		t.Error("the table is not sorted by name")
	}
	for _, op := range Table {
		if op.Doc == "" || op.Type == nil || op.Tol.Why == "" || op.Kernel == "" {
			t.Errorf("%s: doc, type rule, reason of the tolerance and kernel must be there", op.Name)
		}
		for i, p := range op.Operands {
			if i > 0 && p.Effect < op.Operands[i-1].Effect {
				t.Errorf("%s: operand %s comes after one with a later effect", op.Name, p.Name)
			}
			if op.Operand(p.Name) != i {
				t.Errorf("%s: two operands are named %s", op.Name, p.Name)
			}
			if p.Columns && p.Effect != ir.Read {
				t.Errorf("%s: operand %s may not select columns: it is written", op.Name, p.Name)
			}
		}
		for _, a := range op.Alias {
			out, in := op.Operand(a.Out), op.Operand(a.In)
			if out < 0 || in < 0 || op.Operands[out].Effect != ir.Write || op.Operands[in].Effect != ir.Read || a.By == ir.NoAlias {
				t.Errorf("%s: alias %v does not join a written and a read operand", op.Name, a)
			}
		}
		if !sort.SliceIsSorted(op.Attrs, func(i, j int) bool { return op.Attrs[i].Name < op.Attrs[j].Name }) {
			t.Errorf("%s: attributes are not sorted", op.Name)
		}
		for _, a := range op.Attrs {
			if strings.Contains(reserved, " "+a.Name+" ") {
				t.Errorf("%s: attribute %q means something else in plan text", op.Name, a.Name)
			}
		}
		if (op.Scratch != nil) != (op.Operands[len(op.Operands)-1].Effect == ir.Scratch) {
			t.Errorf("%s: a scratch rule and a scratch operand belong together", op.Name)
		}
	}
}

// reserved are the keys of a step in docs/spec/alias-faults.md.
const reserved = " layer grp coll dist alt gen imm fp late pairs args ptx end cov vec early exit unk gst tmap xcta zero ew rf lin xrow init pdl gw mayread prev idx32 par blocks threads r rw acc w scr src launch kind takes gives "

func TestEffectsAreThoseOfPlans(t *testing.T) {
	for e, want := range map[ir.Effect]plan.Effect{
		ir.Read: plan.R, ir.ReadWrite: plan.RW, ir.Accumulate: plan.Acc, ir.Write: plan.W, ir.Scratch: plan.Scr,
	} {
		if plan.Effect(e) != want {
			t.Errorf("effect %d is %d in plans", e, want)
		}
	}
}

func TestTypeRules(t *testing.T) {
	x := ir.Of(ir.F32, ir.Dim{K: 1, Sym: ir.SymT}, ir.Fixed(8))
	halves := func(n int) ir.Type { return ir.Of(ir.F16, x.Dims[0], ir.Fixed(n)) }
	for _, c := range []struct {
		op    *ir.Op
		in    []ir.Type
		attrs ir.Attrs
		want  string // a type, or part of an error
	}{
		{Matmul, []ir.Type{x, ir.Of("q4_k", ir.Fixed(6), ir.Fixed(8))}, nil, "f32[Tx6]"},
		{Matmul, []ir.Type{x, ir.Of("q4_k", ir.Fixed(6), ir.Fixed(8))}, ir.Attrs{{Name: "heads", Val: int64(2)}}, "f32[Tx2x3]"},
		{Matmul, []ir.Type{x, ir.Of("q4_k", ir.Fixed(6), ir.Fixed(9))}, nil, "operand weight is q4_k[6x9], want [N x 8] to match x f32[Tx8]"},
		{Matmul, []ir.Type{halves(192), ir.Of("q4_k", ir.Fixed(6), ir.Fixed(8))}, nil, "f32[Tx6]"},
		{Matmul, []ir.Type{halves(8), ir.Of("q4_k", ir.Fixed(6), ir.Fixed(8))}, nil, "operand x is f16[Tx8]"},
		{HalfRows, []ir.Type{x}, nil, "f16[Tx192]"},
		{Topk, []ir.Type{x}, ir.Attrs{{Name: "k", Val: int64(9)}}, "k is 9, want 1 to 8"},
		{Topk, []ir.Type{x}, ir.Attrs{{Name: "k", Val: int64(3)}}, "i32[Tx3]"},
		{Topk, []ir.Type{x}, nil, `needs the attribute "k"`},
		{GroupMask, []ir.Type{x}, ir.Attrs{{Name: "groups", Val: int64(3)}, {Name: "used", Val: int64(1)}}, "8 experts cannot be cut into 3 groups"},
		{Concat, []ir.Type{x, x.WithLast(ir.Fixed(2))}, nil, "f32[Tx10]"},
		{Rope, []ir.Type{x}, ir.Attrs{{Name: "base", Val: 1e4}, {Name: "dims", Val: int64(6)}, {Name: "off", Val: int64(4)}, {Name: "style", Val: "half"}}, "cannot be rotated"},
	} {
		a, err := c.op.Complete(c.attrs)
		var got string
		if err == nil {
			var out []ir.Type
			if out, err = c.op.ResultTypes(c.in, a); err == nil {
				got = out[0].String()
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.op.Name, got, c.want)
		}
	}
}

// Every op has a reference and every reference an op; they agree on operands, attributes and
// on which operands are flattened.
func TestReferences(t *testing.T) {
	for _, op := range Table {
		f, ok := ref.Lookup(op.Name)
		if !ok {
			t.Errorf("%s has no reference in runtime/ref", op.Name)
			continue
		}
		if f.Operands() != len(op.Operands) {
			t.Errorf("%s: %d operands, its reference takes %d", op.Name, len(op.Operands), f.Operands())
		}
		for _, a := range f.Attrs {
			if !slices.ContainsFunc(op.Attrs, func(s ir.AttrSpec) bool { return s.Name == a }) {
				t.Errorf("%s: the reference needs attribute %s, which is not declared", op.Name, a)
			}
		}
		for i, p := range op.Operands {
			if halves := i == 0 && f.Halves || i > 0 && i == f.Rounds; p.Halves != halves {
				t.Errorf("%s: operand %s may be halves: %v, in its reference %v", op.Name, p.Name, p.Halves, f.Halves)
			}
			if p.Flat != slices.Contains(f.Flat, i) {
				t.Errorf("%s: operand %s is flat: %v, in its reference %v", op.Name, p.Name, p.Flat, !p.Flat)
			}
		}
	}
	for _, f := range ref.Table {
		if Find(f.Name) == nil {
			t.Errorf("reference %s has no op", f.Name)
		}
	}
}
