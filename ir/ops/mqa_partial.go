package ops

import (
	"fmt"

	"dsac/ir"
)

// MqaPartial: mqa_attend over the i-th of `splits` equal parts of sel[t]: part[t,i,h] = u, stat[t,i,h] = [m | sum of exp(score-m)].
var MqaPartial = &ir.Op{
	Name:     "mqa_partial",
	Doc:      "mqa_attend over the i-th of `splits` equal parts of sel[t]: part[t,i,h] = u (f16), stat[t,i,h] = [m | sum of exp(score-m)], m the largest score",
	Operands: []ir.Operand{r("qa"), rc("qp"), rs("latent"), {Name: "sel", Effect: ir.Read, Group: true}, w("part"), w("stat")},
	Attrs: []ir.AttrSpec{
		{Name: "scale", Kind: ir.FloatAttr, Doc: "of the scores"},
		{Name: "splits", Kind: ir.IntAttr, Doc: "parts of the list, so that one row keeps a whole device busy"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		u, err := MqaAttend.Type(in, a)
		if err != nil {
			return nil, err
		}
		n := a.Int("splits")
		if n < 1 || n > int(in[3].Last().K) {
			return nil, fmt.Errorf("splits is %d, want 1 to %s", n, in[3].Last())
		}
		t, h, r := u[0].Dims[0], u[0].Dims[1], u[0].Dims[2]
		return []ir.Type{ir.Of(ir.F16, t, ir.Fixed(n), h, r), ir.Of(ir.F32, t, ir.Fixed(n), h, ir.Fixed(2))}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "mqa_partial",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return MqaAttend.Flops(in, out, a, b)
	},
}
