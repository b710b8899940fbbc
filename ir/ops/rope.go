package ops

import (
	"fmt"

	"dsac/ir"
)

// Rope: rotates elements [off, off+dims) of each row of the last dimension by pos*base^(-2i/dims); the rest is copied.
var Rope = &ir.Op{
	Name:     "rope",
	Doc:      "rotates elements [off, off+dims) of each row of the last dimension by pos*base^(-2i/dims); the rest is copied",
	Operands: []ir.Operand{rc("x"), w("y")},
	Attrs: []ir.AttrSpec{
		{Name: "base", Kind: ir.FloatAttr, Doc: "base of the angles"},
		{Name: "beta_fast", Kind: ir.FloatAttr, Default: 32.0, Doc: "YaRN: rotations above which a dimension keeps its frequency"},
		{Name: "beta_slow", Kind: ir.FloatAttr, Default: 1.0, Doc: "YaRN: rotations below which it is divided by factor"},
		{Name: "dims", Kind: ir.IntAttr, Doc: "rotated elements"},
		{Name: "factor", Kind: ir.FloatAttr, Default: 1.0, Doc: "YaRN context factor, 1 = none"},
		{Name: "mscale", Kind: ir.FloatAttr, Default: 1.0, Doc: "multiplies the rotated elements"},
		{Name: "off", Kind: ir.IntAttr, Default: int64(0), Doc: "first rotated element"},
		{Name: "orig_ctx", Kind: ir.IntAttr, Default: int64(0), Doc: "YaRN: context of pretraining"},
		{Name: "style", Kind: ir.TextAttr, Doc: "interleaved or half"},
	},
	Alias: []ir.Alias{{Out: "y", In: "x", By: ir.ReadsFirst}},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2, 3); err != nil {
			return nil, err
		}
		dims, off := a.Int("dims"), a.Int("off")
		if dims <= 0 || dims%2 != 0 || off < 0 || off+dims > int(in[0].Last().K) {
			return nil, fmt.Errorf("elements [%d, %d) of x %s cannot be rotated in pairs", off, off+dims, in[0])
		}
		if s := a.Text("style"); s != "interleaved" && s != "half" {
			return nil, fmt.Errorf("style is %q, want \"interleaved\" (pairs 2i, 2i+1) or \"half\" (pairs i, i+dims/2)", s)
		}
		return []ir.Type{in[0]}, nil
	},
	Shard:  headwise(map[int]int{0: 1}),
	Tol:    ir.Tol{Abs: 0, Rel: 4e-06, Why: whyF32},
	Kernel: "rope",
}
