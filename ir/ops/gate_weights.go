package ops

import (
	"dsac/ir"
)

// GateWeights: g = p[idx]; norm: g / max(sum g, floor); then scale * g.
var GateWeights = &ir.Op{
	Name:     "gate_weights",
	Doc:      "g = p[idx]; norm: g / max(sum g, floor); then scale * g",
	Operands: []ir.Operand{r("p"), r("idx"), w("g")},
	Attrs: []ir.AttrSpec{
		{Name: "floor", Kind: ir.FloatAttr, Default: 6.103515625e-05, Doc: "smallest divisor"},
		{Name: "norm", Kind: ir.IntAttr, Default: int64(0), Doc: "1 = divide by the sum"},
		{Name: "scale", Kind: ir.FloatAttr, Default: 1.0, Doc: "multiplies the weights"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("p", in[0], 2); err != nil {
			return nil, err
		}
		if err := list("idx", in[1], in[0].Dims[0]); err != nil {
			return nil, err
		}
		return []ir.Type{ir.Of(ir.F32, in[1].Dims[0], in[1].Dims[1])}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 2e-06, Why: whyF32},
	Kernel: "router",
}
