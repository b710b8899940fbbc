package ops

import (
	"dsac/ir"
	"dsac/runtime/plan"
)

// Sample: token = the sampler's choice from the last row of logits.
var Sample = &ir.Op{
	Name:     "sample",
	Doc:      "token = the sampler's choice from the last row of logits",
	Operands: []ir.Operand{r("logits"), r("params"), r("mask"), {Name: "hist", Effect: ir.ReadWrite}, w("token")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if _, err := sampled(in); err != nil {
			return nil, err
		}
		return []ir.Type{ir.Of(ir.U8, ir.Fixed(plan.CtlError-plan.CtlRNG))}, nil
	},
	Tol:      ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel:   "sample",
	CrossRow: true,
}
