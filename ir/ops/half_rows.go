package ops

import (
	"dsac/ir"
	"dsac/runtime/plan"
)

// HalfRows: h = x in f16, each row divided by a power of two that it carries, see
// plan.HalfWidth; with flat = 1 x [T, ...] is seen as [T, rest].
var HalfRows = &ir.Op{
	Name:     "half_rows",
	Doc:      "h = x rounded to f16, a row divided by a power of two that lies behind it",
	Operands: []ir.Operand{rc("x"), w("h")},
	Attrs: []ir.AttrSpec{
		{Name: "flat", Kind: ir.IntAttr, Default: int64(0), Doc: "1: x [T, ...] is seen as [T, rest]"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		x := in[0]
		if err := activation("x", x, 2, 3); err != nil {
			return nil, err
		}
		if a.Int("flat") != 0 {
			x, _ = flat(x)
		}
		last := x.Last()
		if last.Sym != ir.NoSym {
			return nil, errShape("x", x, "a row of fixed size")
		}
		return []ir.Type{rounded(x)}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "half_rows",
}

// halfAttr is the attribute of ops that may write rows of half_rows.
var halfAttr = ir.AttrSpec{Name: "half", Kind: ir.IntAttr, Default: int64(0), Doc: "1: the result has rows as half_rows makes them"}

// rounded returns the type of rows x in f16, as half_rows makes them.
func rounded(x ir.Type) ir.Type {
	x.DType = ir.F16
	return x.WithLast(ir.Fixed(plan.HalfWidth(int(x.Last().K))))
}

// exact returns the type that x has before half_rows, if it has rows of it for products with
// rows of weight, and otherwise x.
func exact(x, weight ir.Type) ir.Type {
	if x.DType != ir.F16 || x.Rank == 0 || weight.Rank == 0 {
		return x
	}
	k := weight.Last()
	if k.Sym != ir.NoSym || x.Last() != ir.Fixed(plan.HalfWidth(int(k.K))) {
		return x
	}
	x.DType = ir.F32
	return x.WithLast(k)
}
