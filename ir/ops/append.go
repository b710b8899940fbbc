package ops

import (
	"dsac/ir"
)

// Append: state[pos+t] = x[t].
var Append = &ir.Op{
	Name:     "append",
	Doc:      "state[pos+t] = x[t]",
	Operands: []ir.Operand{rc("x"), ws("state")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2); err != nil {
			return nil, err
		}
		if in[1].Rank != 2 || in[1].Last() != in[0].Last() {
			return nil, errShape("state", in[1], "rows of "+in[0].Last().String())
		}
		return nil, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "append",
}
