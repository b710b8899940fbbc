package ops

import (
	"dsac/ir"
)

// GroupMask: y = x, with -inf in every group but the `used` ones whose two best elements sum highest.
var GroupMask = &ir.Op{
	Name:     "group_mask",
	Doc:      "y = x, with -inf in every group but the `used` ones whose two best elements sum highest",
	Operands: []ir.Operand{r("x"), w("y")},
	Attrs: []ir.AttrSpec{
		{Name: "groups", Kind: ir.IntAttr, Doc: "equal parts of a row"},
		{Name: "used", Kind: ir.IntAttr, Doc: "parts that stay"},
	},
	Alias: []ir.Alias{{Out: "y", In: "x", By: ir.ReadsFirst}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2); err != nil {
			return nil, err
		}
		return []ir.Type{in[0]}, checkGroups(int(in[0].Last().K), a.Int("groups"), a.Int("used"))
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "router",
}
