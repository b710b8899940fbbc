package ops

import (
	"dsac/ir"
)

// Concat: y = [a | b] along the last dimension.
var Concat = &ir.Op{
	Name:     "concat",
	Doc:      "y = [a | b] along the last dimension",
	Operands: []ir.Operand{rc("a"), rc("b"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("a", in[0], 2); err != nil {
			return nil, err
		}
		if in[1] != in[0].WithLast(in[1].Last()) {
			return nil, errShape("b", in[1], "the rows of a "+in[0].String())
		}
		return []ir.Type{in[0].WithLast(ir.Dim{K: in[0].Last().K + in[1].Last().K})}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "move",
}
