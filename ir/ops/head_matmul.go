package ops

import (
	"fmt"

	"dsac/ir"
)

// HeadMatmul: y[t,h] = weight[h] x[t,h].
var HeadMatmul = &ir.Op{
	Name:     "head_matmul",
	Doc:      "y[t,h] = weight[h] x[t,h]",
	Operands: []ir.Operand{h(rc("x")), rw("weight"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		x := exact(in[0], in[1])
		if err := activation("x", x, 3); err != nil {
			return nil, err
		}
		if in[1].Rank != 3 || in[1].Dims[0] != x.Dims[1] || in[1].Dims[2] != x.Dims[2] {
			return nil, errShape("weight", in[1], fmt.Sprintf("[%s x N x %s]", x.Dims[1], x.Dims[2]))
		}
		return []ir.Type{x.WithLast(in[1].Dims[1])}, nil
	},
	Shard:  headwise(map[int]int{0: 1, 1: 0}),
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "head_matmul",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return float64(b.Elems(out[0])) * 2 * float64(b.Extent(in[1].Last()))
	},
}
