package ops

import (
	"dsac/ir"
)

// MqaCombine: u[t,h] = sum over i of f[i] part[t,i,h] / sum over i of f[i], f[i] = exp(m[i] - max m) sum[i] of stat[t,i,h].
var MqaCombine = &ir.Op{
	Name:     "mqa_combine",
	Doc:      "u[t,h] = sum over i of f[i] part[t,i,h] / sum over i of f[i], f[i] = exp(m[i] - max m) sum[i] with [m | sum] = stat[t,i,h]",
	Operands: []ir.Operand{r("part"), r("stat"), w("u")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		p, s := in[0], in[1]
		if p.Rank != 4 || p.DType != ir.F16 {
			return nil, errShape("part", p, "f16[T x splits x H x R]")
		}
		if want := ir.Of(ir.F32, p.Dims[0], p.Dims[1], p.Dims[2], ir.Fixed(2)); s != want {
			return nil, errShape("stat", s, want.String())
		}
		return []ir.Type{ir.Of(ir.F32, p.Dims[0], p.Dims[2], p.Dims[3])}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 4e-6, Why: whyF32},
	Kernel: "mqa_combine",
}
