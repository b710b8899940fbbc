package ops

import (
	"dsac/ir"
)

// GateUp: y = silu(x gate^T) * (x up^T).
var GateUp = &ir.Op{
	Name:     "gate_up",
	Doc:      "y = silu(x gate^T) * (x up^T)",
	Operands: []ir.Operand{h(rf("x")), rw("gate"), rw("up"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		g, err := project(in[0], in[1], 1)
		if err != nil {
			return nil, err
		}
		u, err := project(in[0], in[2], 1)
		if err == nil {
			err = same("x gate^T", "x up^T", g, u)
		}
		return []ir.Type{g}, err
	},
	Shard: func(n *ir.Node, in []ir.Split) ([]ir.Split, error) {
		y, err := shardProject(n, in, 2, 0)
		return []ir.Split{y}, err
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "gate_up",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return float64(b.Elems(out[0])) * 4 * float64(b.Extent(in[1].Last()))
	},
}
