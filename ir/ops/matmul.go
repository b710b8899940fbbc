package ops

import (
	"dsac/ir"
)

// Matmul: y = x weight^T; heads > 1 gives y the shape [T, heads, N/heads].
var Matmul = &ir.Op{
	Name:     "matmul",
	Doc:      "y = x weight^T; heads > 1 gives y the shape [T, heads, N/heads]",
	Operands: []ir.Operand{h(rf("x")), rw("weight"), {Name: "y", Effect: ir.Write, Flat: true}},
	Attrs: []ir.AttrSpec{
		{Name: "heads", Kind: ir.IntAttr, Default: int64(1), Doc: "heads that the rows of weight are split into"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		y, err := project(in[0], in[1], a.Int("heads"))
		return []ir.Type{y}, err
	},
	Shard: func(n *ir.Node, in []ir.Split) ([]ir.Split, error) {
		y, err := shardProject(n, in, 1, 0)
		return []ir.Split{y}, err
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "matmul",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return float64(b.Elems(out[0])) * 2 * float64(b.Extent(in[1].Last()))
	},
}
