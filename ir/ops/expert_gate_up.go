package ops

import (
	"dsac/ir"
)

// ExpertGateUp: y[t,j] = silu(gate[e] x[t]) * (up[e] x[t]) with e = idx[t,j].
var ExpertGateUp = &ir.Op{
	Name:     "expert_gate_up",
	Doc:      "y[t,j] = silu(gate[e] x[t]) * (up[e] x[t]) with e = idx[t,j]",
	Operands: []ir.Operand{h(r("x")), rw("gate"), rw("up"), r("idx"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		g, err := experts(in[0], in[1], in[3])
		if err != nil {
			return nil, err
		}
		u, err := experts(in[0], in[2], in[3])
		if err == nil {
			err = same("gate product", "up product", g, u)
		}
		return []ir.Type{g}, err
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "expert_gate_up",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return 4 * float64(b.Elems(out[0])) * float64(in[1].Last().K)
	},
}
