package ops

import (
	"dsac/ir"
)

// AddRow: y[t] = x[t] + bias.
var AddRow = &ir.Op{
	Name:     "add_row",
	Doc:      "y[t] = x[t] + bias",
	Operands: []ir.Operand{r("x"), r("bias"), w("y")},
	Alias:    []ir.Alias{{Out: "y", In: "x", By: ir.ElementWise}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2); err != nil {
			return nil, err
		}
		return []ir.Type{in[0]}, vector("bias", in[1], in[0].Last())
	},
	Tol:    ir.Tol{Abs: 0, Rel: 2e-06, Why: whyF32},
	Kernel: "elementwise",
}
