package ops

import "dsac/ir"

// SamplePeaks: peaks[b] = the best of each block of logits; masses = 0.
var SamplePeaks = &ir.Op{
	Name:     "sample_peaks",
	Doc:      "peaks[b] = the best id of each block of the last row of logits; masses = 0",
	Operands: []ir.Operand{r("logits"), r("params"), r("mask"), r("hist"), w("peaks"), w("masses")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		blocks, err := sampled(in)
		return []ir.Type{numbers(blocks), numbers(SampleBuckets)}, err
	},
	Tol:      ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel:   "sample_peaks",
	CrossRow: true,
}
