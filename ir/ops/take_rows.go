package ops

import (
	"dsac/ir"
)

// TakeRows: y = the last R rows of x.
var TakeRows = &ir.Op{
	Name:     "take_rows",
	Doc:      "y = the last R rows of x",
	Operands: []ir.Operand{r("x"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2); err != nil {
			return nil, err
		}
		return []ir.Type{ir.Of(ir.F32, ir.Dim{K: 1, Sym: ir.SymR}, in[0].Last())}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "move",
}
