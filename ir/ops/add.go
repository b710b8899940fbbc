package ops

import (
	"dsac/ir"
)

// Add: y = a + b.
var Add = &ir.Op{
	Name:     "add",
	Doc:      "y = a + b",
	Operands: []ir.Operand{rp("a"), rp("b"), w("y")},
	Alias:    []ir.Alias{{Out: "y", In: "a", By: ir.ElementWise}, {Out: "y", In: "b", By: ir.ElementWise}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("a", in[0], 2, 3); err != nil {
			return nil, err
		}
		return []ir.Type{in[0]}, same("a", "b", in[0], in[1])
	},
	Shard:  alike(true),
	Tol:    ir.Tol{Abs: 0, Rel: 2e-06, Why: whyF32},
	Kernel: "elementwise",
}
