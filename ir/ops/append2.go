package ops

import (
	"fmt"

	"dsac/ir"
)

// Append2: state[pos+t] = [a[t] | b[t]].
var Append2 = &ir.Op{
	Name:     "append2",
	Doc:      "state[pos+t] = [a[t] | b[t]]",
	Operands: []ir.Operand{rc("a"), rc("b"), ws("state")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		for i, name := range []string{"a", "b"} {
			if err := activation(name, in[i], 2); err != nil {
				return nil, err
			}
		}
		if in[2].Rank != 2 || in[2].Last().K != in[0].Last().K+in[1].Last().K {
			return nil, errShape("state", in[2], fmt.Sprintf("rows of %s+%s", in[0].Last(), in[1].Last()))
		}
		return nil, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "append",
}
