package ops

import "dsac/ir"

// SampleSift: per block of logits the weight that certainly stays, and a list of the ids in the
// bucket where top-k or top-p ends.
var SampleSift = &ir.Op{
	Name:     "sample_sift",
	Doc:      "kept, list = per block of the last row of logits the weight above the bucket where top-k or top-p ends, the ids in it",
	Operands: []ir.Operand{r("logits"), r("params"), r("mask"), r("hist"), r("peaks"), r("masses"), w("kept"), w("list")},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		blocks, err := sampled(in)
		return []ir.Type{numbers(SampleKept * (1 + blocks)), numbers(SampleBlock * blocks)}, err
	},
	Tol:      ir.Tol{Abs: 0, Rel: 0, Why: whyIntegers},
	Kernel:   "sample_sift",
	CrossRow: true,
}
