package ops

import (
	"dsac/ir"
)

// Layernorm: y = weight * (x - mean) / sqrt(var + eps) + bias, per row, biased variance.
var Layernorm = &ir.Op{
	Name:     "layernorm",
	Doc:      "y = weight * (x - mean) / sqrt(var + eps) + bias, per row, biased variance",
	Operands: []ir.Operand{rc("x"), r("weight"), r("bias"), w("y")},
	Attrs: []ir.AttrSpec{
		{Name: "eps", Kind: ir.FloatAttr, Doc: "added to the variance"},
	},
	Alias: []ir.Alias{{Out: "y", In: "x", By: ir.ReadsFirst}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2, 3); err != nil {
			return nil, err
		}
		if err := vector("weight", in[1], in[0].Last()); err != nil {
			return nil, err
		}
		if err := vector("bias", in[2], in[0].Last()); err != nil {
			return nil, err
		}
		return []ir.Type{in[0]}, nil
	},
	Tol:    ir.Tol{Abs: 2e-06, Rel: 2e-06, Why: whyF32},
	Kernel: "layernorm",
}
