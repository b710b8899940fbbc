package ops

import (
	"fmt"

	"dsac/ir"
)

// Slice: y = x[..., off : off+cols].
var Slice = &ir.Op{
	Name:     "slice",
	Doc:      "y = x[..., off : off+cols]",
	Operands: []ir.Operand{r("x"), w("y")},
	Attrs: []ir.AttrSpec{
		{Name: "cols", Kind: ir.IntAttr, Doc: "columns to take"},
		{Name: "off", Kind: ir.IntAttr, Doc: "first column"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		if err := activation("x", in[0], 2, 3); err != nil {
			return nil, err
		}
		off, cols := a.Int("off"), a.Int("cols")
		if off < 0 || cols < 1 || off+cols > int(in[0].Last().K) {
			return nil, fmt.Errorf("columns [%d, %d) are not inside x %s", off, off+cols, in[0])
		}
		return []ir.Type{in[0].WithLast(ir.Fixed(cols))}, nil
	},
	Shard:  headwise(map[int]int{0: 1}),
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: whyExact},
	Kernel: "move",
}
