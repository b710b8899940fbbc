package ops

import (
	"fmt"

	"dsac/ir"
	"dsac/runtime/plan"
)

// Advance: pos += accepted; ids[0] = token.
var Advance = &ir.Op{
	Name:     "advance",
	Doc:      "pos += accepted; ids[0] = token",
	Operands: []ir.Operand{{Name: "ctl", Effect: ir.ReadWrite}, w("ids")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if in[0].DType != ir.U8 || in[0].Rank != 1 || in[0].Dims[0] != ir.Fixed(plan.CtlSize) {
			return nil, errShape("ctl", in[0], fmt.Sprintf("u8[%d]", plan.CtlSize))
		}
		return []ir.Type{ir.Of(ir.I32, ir.Fixed(1))}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "advance",
}
