package ops

import (
	"dsac/ir"
)

// Embed: y[t] = table[ids[t]].
var Embed = &ir.Op{
	Name:     "embed",
	Doc:      "y[t] = table[ids[t]]",
	Operands: []ir.Operand{r("ids"), r("table"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if in[0].DType != ir.I32 || in[0].Rank != 1 {
			return nil, errShape("ids", in[0], "i32[T]")
		}
		if in[1].Rank != 2 {
			return nil, errShape("table", in[1], "[V x D]")
		}
		return []ir.Type{ir.Of(ir.F32, in[0].Dims[0], in[1].Dims[1])}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "embed",
}
