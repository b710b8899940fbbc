package ops

import (
	"dsac/ir"
)

// Sigmoid: y = 1 / (1 + exp(-x)).
var Sigmoid = &ir.Op{
	Name:     "sigmoid",
	Doc:      "y = 1 / (1 + exp(-x))",
	Operands: []ir.Operand{r("x"), w("y")},
	Alias:    []ir.Alias{{Out: "y", In: "x", By: ir.ElementWise}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2, 3); err != nil {
			return nil, err
		}
		return []ir.Type{in[0]}, nil
	},
	Shard:  alike(false),
	Tol:    ir.Tol{Abs: 0, Rel: 2e-06, Why: whyF32},
	Kernel: "elementwise",
}
