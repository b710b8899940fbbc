package ops

import (
	"fmt"

	"dsac/ir"
	"dsac/runtime/ref"
)

// TopRun is ref.TopRun, for kernels.
const TopRun = ref.TopRun

// ScoreWidth returns the width of a row of index_scores at a context: the scores, then the
// largest of each run of TopRun, for whole groups of 32 scores.
func ScoreWidth(context int) int { return context + (context+31)/32*(32/TopRun) }

// IndexScores: scores[t,s] = scale * sum_h w[t,h] * relu(q[t,h].keys[s]) for s <= pos+t, -inf up to C; then the largest of each 8 scores.
var IndexScores = &ir.Op{
	Name:     "index_scores",
	Doc:      "scores[t,s] = scale * sum_h w[t,h] * relu(q[t,h].keys[s]) for s <= pos+t, -inf up to C; then the largest of each 8 scores",
	Operands: []ir.Operand{r("q"), r("w"), rs("keys"), w("scores")},
	Attrs: []ir.AttrSpec{
		{Name: "scale", Kind: ir.FloatAttr, Doc: "of the scores"},
		{Name: "width", Kind: ir.IntAttr, Doc: "of a row: the context and its runs of 8; -inf for runs past it"},
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
		n := a.Int("width")
		if n < 2 {
			return nil, fmt.Errorf("width is %d, want a context and its runs of %d", n, TopRun)
		}
		return []ir.Type{ir.Of(ir.F32, q.Dims[0], ir.Fixed(n))}, nil
	},
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "index_scores",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		return 2 * float64(b.Elems(in[0])) * float64(b.Extent(in[2].Dims[0]))
	},
}
