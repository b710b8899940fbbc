package ops

import (
	"dsac/ir"
)

// ExpertMatmul: y[t,j] = weight[idx[t,j]] x[t] (or x[t,j]).
var ExpertMatmul = &ir.Op{
	Name:     "expert_matmul",
	Doc:      "y[t,j] = weight[idx[t,j]] x[t] (or x[t,j])",
	Operands: []ir.Operand{h(r("x")), rw("weight"), r("idx"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		y, err := experts(in[0], in[1], in[2])
		return []ir.Type{y}, err
	},
	Shard: func(n *ir.Node, in []ir.Split) ([]ir.Split, error) {
		y, err := shardProject(n, in, 1, 1)
		return []ir.Split{y}, err
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "expert_matmul",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return 2 * float64(b.Elems(out[0])) * float64(in[1].Last().K)
	},
}
