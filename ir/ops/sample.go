package ops

import (
	"dsac/ir"
	"dsac/runtime/plan"
)

// Sample: token = the sampler's choice from the last row of logits.
var Sample = &ir.Op{
	Name:     "sample",
	Doc:      "token = the sampler's choice from the last row of logits",
	Operands: []ir.Operand{r("logits"), r("params"), r("mask"), {Name: "hist", Effect: ir.ReadWrite}, w("token"), {Name: "work", Effect: ir.Scratch}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("logits", in[0], 2); err != nil {
			return nil, err
		}
		v := in[0].Last()
		for i, name := range []string{"mask", "hist"} {
			if in[2+i].Rank != 1 || in[2+i].Dims[0] != v {
				return nil, errShape(name, in[2+i], "["+v.String()+"]")
			}
		}
		return []ir.Type{ir.Of(ir.U8, ir.Fixed(plan.CtlError-plan.CtlRNG))}, nil
	},
	Scratch: func(in []ir.Type, a ir.Attrs, b ir.Bind) []ir.Type {
		return []ir.Type{ir.Of(ir.U8, ir.Fixed(SampleWork*int(in[0].Last().K)))}
	},
	Tol:      ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel:   "sample",
	CrossRow: true,
}
