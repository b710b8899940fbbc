package ops

import (
	"dsac/ir"
)

// Copy: y = x.
var Copy = &ir.Op{
	Name:     "copy",
	Doc:      "y = x",
	Operands: []ir.Operand{r("x"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		return []ir.Type{in[0]}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "move",
}
