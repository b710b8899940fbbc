package ops

import (
	"dsac/ir"
	"dsac/runtime/ref"
)

// Extents of the choice in parts, for kernels; see runtime/sample.
const (
	SampleBlock   = ref.SampleBlock
	SampleBuckets = ref.SampleBuckets
	SampleKept    = ref.SampleKept
)

// sampled demands logits with a mask and a history, and returns their blocks.
func sampled(in []ir.Type) (blocks int, err error) {
	if err := activation("logits", in[0], 2); err != nil {
		return 0, err
	}
	v := in[0].Last()
	for i, name := range []string{"mask", "hist"} {
		if in[2+i].Rank != 1 || in[2+i].Dims[0] != v {
			return 0, errShape(name, in[2+i], "["+v.String()+"]")
		}
	}
	return (int(v.K) + SampleBlock - 1) / SampleBlock, nil
}

// numbers is the type of n integers of 64 bits.
func numbers(n int) ir.Type { return ir.Of(ir.U8, ir.Fixed(8*n)) }
