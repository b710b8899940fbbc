package ops

import (
	"dsac/ir"
)

// ExpertDown: out[t] = sum over j of g[t,j] * weight[idx[t,j]] h[t,j], in the order of j.
var ExpertDown = &ir.Op{
	Name:     "expert_down",
	Doc:      "out[t] = sum over j of g[t,j] * weight[idx[t,j]] h[t,j], in the order of j",
	Operands: []ir.Operand{r("h"), rw("weight"), r("idx"), r("g"), w("out")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("h", in[0], 3); err != nil {
			return nil, err
		}
		y, err := experts(in[0], in[1], in[2])
		if err != nil {
			return nil, err
		}
		if in[3] != ir.Of(ir.F32, y.Dims[0], y.Dims[1]) {
			return nil, errShape("g", in[3], "one weight per slot of h "+in[0].String())
		}

		return []ir.Type{ir.Of(ir.F32, y.Dims[0], y.Dims[2])}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "expert_down",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return 2 * float64(b.Elems(in[0])) * float64(b.Extent(out[0].Last()))
	},
}
