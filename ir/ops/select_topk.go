package ops

import (
	"fmt"

	"dsac/ir"
)

// SelectTopk: sel[t] = the k positions s <= pos+t of largest scores[t,s], ties to the lower one, ascending, then -1.
var SelectTopk = &ir.Op{
	Name:     "select_topk",
	Doc:      "sel[t] = the k positions s <= pos+t of largest scores[t,s], ties to the lower one, ascending, then -1",
	Operands: []ir.Operand{r("scores"), {Name: "sel", Effect: ir.Write, Group: true}},
	Attrs: []ir.AttrSpec{
		{Name: "k", Kind: ir.IntAttr, Doc: "positions to choose"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("scores", in[0], 2); err != nil {
			return nil, err
		}
		if a.Int("k") < 1 {
			return nil, fmt.Errorf("k is %d, want at least 1", a.Int("k"))
		}
		return []ir.Type{ir.Of(ir.I32, in[0].Dims[0], ir.Fixed(a.Int("k")))}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "select_topk",
}
