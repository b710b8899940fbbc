package ops

import (
	"dsac/ir"
)

// MqaValues: y[t,h] = weight[h] mqa_combine(part, stat)[t,h].
var MqaValues = &ir.Op{
	Name:     "mqa_values",
	Doc:      "y[t,h] = weight[h] mqa_combine(part, stat)[t,h]",
	Operands: []ir.Operand{r("part"), r("stat"), rw("weight"), w("y")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		u, err := MqaCombine.Type(in[:2], a)
		if err != nil {
			return nil, err
		}
		return HeadMatmul.Type([]ir.Type{u[0], in[2]}, a)
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "mqa_values",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return HeadMatmul.Flops([]ir.Type{out[0], in[2]}, out, a, b)
	},
}
