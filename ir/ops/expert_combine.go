package ops

import (
	"dsac/ir"
)

// ExpertCombine: out[t] = sum over j of g[t,j] * y[t,j], in the order of j.
var ExpertCombine = &ir.Op{
	Name:     "expert_combine",
	Doc:      "out[t] = sum over j of g[t,j] * y[t,j], in the order of j",
	Operands: []ir.Operand{r("y"), r("g"), w("out")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("y", in[0], 3); err != nil {
			return nil, err
		}
		if in[1] != ir.Of(ir.F32, in[0].Dims[0], in[0].Dims[1]) {
			return nil, errShape("g", in[1], "one weight per slot of y "+in[0].String())
		}
		return []ir.Type{ir.Of(ir.F32, in[0].Dims[0], in[0].Dims[2])}, nil
	},
	// The sum over slots is linear: a partial y gives a partial sum, one collective for all slots.
	Shard: func(n *ir.Node, in []ir.Split) ([]ir.Split, error) {
		if in[0].Axis > 0 || in[1] != ir.Whole {
			return nil, mismatch(n, in)
		}
		return []ir.Split{in[0]}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 2e-06, Why: whyF32},
	Kernel: "expert_combine",
}
