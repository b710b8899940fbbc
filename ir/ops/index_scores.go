package ops

import (
	"fmt"

	"dsac/ir"
)

// IndexScores: scores[t,s] = scale * sum_h w[t,h] * relu(q[t,h].keys[s]) for s <= pos+t, -inf after.
var IndexScores = &ir.Op{
	Name:     "index_scores",
	Doc:      "scores[t,s] = scale * sum_h w[t,h] * relu(q[t,h].keys[s]) for s <= pos+t, -inf after",
	Operands: []ir.Operand{r("q"), r("w"), rs("keys"), w("scores")},
	Attrs: []ir.AttrSpec{
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
		return []ir.Type{ir.Of(ir.F32, q.Dims[0], keys.Dims[0])}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "index_scores",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return 2 * float64(b.Elems(in[0])) * float64(b.Extent(in[2].Dims[0]))
	},
}
