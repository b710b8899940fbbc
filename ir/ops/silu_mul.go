package ops

import (
	"dsac/ir"
)

// SiluMul: y = a / (1 + exp(-a)) * b.
var SiluMul = &ir.Op{
	Name:     "silu_mul",
	Doc:      "y = a / (1 + exp(-a)) * b",
	Operands: []ir.Operand{r("a"), r("b"), w("y")},
	Alias:    []ir.Alias{{Out: "y", In: "a", By: ir.ElementWise}, {Out: "y", In: "b", By: ir.ElementWise}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("a", in[0], 2, 3); err != nil {
			return nil, err
		}
		return []ir.Type{in[0]}, same("a", "b", in[0], in[1])
	},
	Shard:  alike(false),
	Tol:    ir.Tol{Abs: 0, Rel: 2e-06, Why: whyF32},
	Kernel: "elementwise",
}
