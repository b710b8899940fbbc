package ops

import (
	"fmt"

	"dsac/ir"
)

// Router: idx = topk(group_mask(sigmoid(z) + bias)); g = gate_weights(sigmoid(z), idx).
var Router = &ir.Op{
	Name:     "router",
	Doc:      "idx = topk(group_mask(sigmoid(z) + bias)); g = gate_weights(sigmoid(z), idx)",
	Operands: []ir.Operand{r("z"), r("bias"), w("idx"), w("g")},
	Attrs: []ir.AttrSpec{
		{Name: "floor", Kind: ir.FloatAttr, Default: 6.103515625e-05, Doc: "smallest divisor"},
		{Name: "groups", Kind: ir.IntAttr, Default: int64(1), Doc: "equal parts of the experts"},
		{Name: "k", Kind: ir.IntAttr, Doc: "experts to choose"},
		{Name: "norm", Kind: ir.IntAttr, Default: int64(0), Doc: "1 = divide by the sum"},
		{Name: "scale", Kind: ir.FloatAttr, Default: 1.0, Doc: "multiplies the weights"},
		{Name: "used", Kind: ir.IntAttr, Default: int64(1), Doc: "parts to choose from"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("z", in[0], 2); err != nil {
			return nil, err
		}
		if err := vector("bias", in[1], in[0].Last()); err != nil {
			return nil, err
		}
		e, k := int(in[0].Last().K), a.Int("k")
		if k < 1 || k > e {
			return nil, fmt.Errorf("k is %d, want 1 to %d", k, e)
		}
		if err := checkGroups(e, a.Int("groups"), a.Int("used")); err != nil {
			return nil, err
		}
		rows := in[0].Dims[0]
		return []ir.Type{ir.Of(ir.I32, rows, ir.Fixed(k)), ir.Of(ir.F32, rows, ir.Fixed(k))}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 4e-06, Why: whyF32},
	Kernel: "router",
}
