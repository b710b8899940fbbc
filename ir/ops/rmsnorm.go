package ops

import (
	"dsac/ir"
)

// Rmsnorm: y = weight * x / sqrt(mean(x^2) + eps), per row.
var Rmsnorm = &ir.Op{
	Name:     "rmsnorm",
	Doc:      "y = weight * x / sqrt(mean(x^2) + eps), per row",
	Operands: []ir.Operand{rc("x"), r("weight"), w("y")},
	Attrs: []ir.AttrSpec{
		{Name: "eps", Kind: ir.FloatAttr, Doc: "added to the mean square"},
	},
	Alias: []ir.Alias{{Out: "y", In: "x", By: ir.ReadsFirst}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2, 3); err != nil {
			return nil, err
		}
		if err := vector("weight", in[1], in[0].Last()); err != nil {
			return nil, err
		}
		return []ir.Type{in[0]}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 2e-06, Why: whyF32},
	Kernel: "rmsnorm",
}
