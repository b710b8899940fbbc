package ops

import (
	"dsac/ir"
	"dsac/runtime/plan"
)

// SampleDraw: token = the sampler's choice from what the steps before it made of the last row
// of logits; hist[token]++.
var SampleDraw = &ir.Op{
	Name: "sample_draw",
	Doc:  "token = the sampler's choice by peaks, kept and list from the last row of logits; hist[token]++",
	Operands: []ir.Operand{r("logits"), r("params"), r("mask"), r("peaks"), r("kept"), r("list"),
		{Name: "hist", Effect: ir.ReadWrite}, w("token")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("logits", in[0], 2); err != nil {
			return nil, err
		}
		return []ir.Type{ir.Of(ir.U8, ir.Fixed(plan.CtlError-plan.CtlRNG))}, nil
	},
	Tol:      ir.Tol{Abs: 0, Rel: 0, Why: whyIntegers},
	Kernel:   "sample_draw",
	CrossRow: true,
}
