package ops

import (
	"fmt"

	"dsac/ir"
)

// IndexTopk: sel[t] = the k positions s <= pos+t of largest scale * sum_h w[t,h] * relu(q[t,h].keys[s]), ascending, then -1.
var IndexTopk = &ir.Op{
	Name:     "index_topk",
	Doc:      "sel[t] = the k positions s <= pos+t of largest scale * sum_h w[t,h] * relu(q[t,h].keys[s]), ascending, then -1",
	Operands: []ir.Operand{r("q"), r("w"), rs("keys"), {Name: "sel", Effect: ir.Write, Group: true}, {Name: "scores", Effect: ir.Scratch}},
	Attrs: []ir.AttrSpec{
		{Name: "k", Kind: ir.IntAttr, Doc: "positions to choose"},
		{Name: "scale", Kind: ir.FloatAttr, Doc: "of the scores"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		q, w, keys := in[0], in[1], in[2]
		if err := activation("q", q, 3); err != nil {
			return nil, err
		}
		if w != ir.Of(ir.F32, q.Dims[0], q.Dims[1]) {
			return nil, errShape("w", w, fmt.Sprintf("f32[%sx%s]", q.Dims[0], q.Dims[1]))
		}
		if keys.Rank != 2 || keys.Last() != q.Last() {
			return nil, errShape("keys", keys, fmt.Sprintf("[C x %s]", q.Last()))
		}
		if a.Int("k") < 1 {
			return nil, fmt.Errorf("k is %d, want at least 1", a.Int("k"))
		}
		return []ir.Type{ir.Of(ir.I32, q.Dims[0], ir.Fixed(a.Int("k")))}, nil
	},
	Scratch: func(in []ir.Type, a ir.Attrs, b ir.Bind) []ir.Type {
		// Scores of a block of query rows, so that scratch does not grow with T*C.
		rows, c := b.Extent(in[0].Dims[0]), b.Extent(in[2].Dims[0])
		block := max(1, min(rows, IndexScratch/(4*c)))
		return []ir.Type{ir.Of(ir.F32, ir.Fixed(block), ir.Fixed(c))}
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0, Why: "a list; choices may differ where scores lie closer than the tolerance of matmul"},
	Kernel: "index_topk",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return 2 * float64(b.Elems(in[0])) * float64(b.Extent(in[2].Dims[0]))
	},
}
