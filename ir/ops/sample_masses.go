package ops

import "dsac/ir"

// SampleMasses: masses[bucket] += what the ids weigh whose weights lie in it.
var SampleMasses = &ir.Op{
	Name: "sample_masses",
	Doc:  "masses[bucket] += 1 (top-k) or weight (top-p) of each id of the last row of logits",
	Operands: []ir.Operand{r("logits"), r("params"), r("mask"), r("hist"), r("peaks"),
		{Name: "masses", Effect: ir.Accumulate}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		_, err := sampled(in)
		return nil, err
	},
	Tol:      ir.Tol{Abs: 0, Rel: 0, Why: whyIntegers},
	Kernel:   "sample_masses",
	CrossRow: true,
}
