package ops

import (
	"fmt"

	"dsac/ir"
)

// MqaCombine: u[t,h] = the parts of mqa_partial, in order, scaled to one maximum and divided by their sum.
var MqaCombine = &ir.Op{
	Name:     "mqa_combine",
	Doc:      "u[t,h] = the parts of mqa_partial, in order, scaled to one maximum and divided by their sum",
	Operands: []ir.Operand{r("part"), w("u")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		p := in[0]
		if p.Rank != 4 || p.DType != ir.F32 || p.Last().K <= PartTail {
			return nil, errShape("part", p, fmt.Sprintf("f32[T x splits x H x R+%d]", PartTail))
		}
		return []ir.Type{ir.Of(ir.F32, p.Dims[0], p.Dims[2], ir.Fixed(int(p.Dims[3].K)-PartTail))}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 4e-6, Why: whyF32},
	Kernel: "mqa_combine",
}
