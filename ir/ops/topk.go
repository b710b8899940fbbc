package ops

import (
	"fmt"

	"dsac/ir"
)

// Topk: idx[t] = the k largest of x[t], ties to the lower index, ascending.
var Topk = &ir.Op{
	Name:     "topk",
	Doc:      "idx[t] = the k largest of x[t], ties to the lower index, ascending",
	Operands: []ir.Operand{r("x"), w("idx")},
	Attrs: []ir.AttrSpec{
		{Name: "k", Kind: ir.IntAttr, Doc: "elements to choose"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2); err != nil {
			return nil, err
		}
		k := a.Int("k")
		if k < 1 || k > int(in[0].Last().K) {
			return nil, fmt.Errorf("k is %d, want 1 to %s", k, in[0].Last())
		}
		return []ir.Type{ir.Of(ir.I32, in[0].Dims[0], ir.Fixed(k))}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "topk",
}
