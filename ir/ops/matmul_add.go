package ops

import (
	"dsac/ir"
)

// MatmulAdd: y = x weight^T + res.
var MatmulAdd = &ir.Op{
	Name:     "matmul_add",
	Doc:      "y = x weight^T + res",
	Operands: []ir.Operand{h(rf("x")), rw("weight"), rp("res"), w("y")},
	Alias:    []ir.Alias{{Out: "y", In: "res", By: ir.ElementWise}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		y, err := project(in[0], in[1], 1)
		if err == nil {
			err = same("res", "y", in[2], y)
		}
		return []ir.Type{y}, err
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "matmul",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return float64(b.Elems(out[0])) * 2 * float64(b.Extent(in[1].Last()))
	},
}
