package ref

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Ops that are cut into parts give, joined, what the whole op gives.
func TestPartsJoinToTheWhole(t *testing.T) {
	const rows, heads, rank, rope, ctx, k = 3, 2, 32, 4, 40, 10
	r := rand.New(rand.NewPCG(8, 8))
	f := func(shape ...int) Arg { return arg(t, r, "f32", shape...) }
	for _, pos := range []int{0, 4, 30} {
		qa, qp, latent := f(rows, heads, rank), f(rows, heads, rope), f(ctx, rank+rope)
		q, w, keys := f(rows, heads, 8), f(rows, heads), f(ctx, 8)
		want, scores, sel := arg(t, r, "i32", rows, k), f(rows, ctx+ctx/TopRun), arg(t, r, "i32", rows, k)
		at := attrs("scale", 0.3, "k", k, "splits", 4)
		run(t, "index_topk", rows, pos, at, q, w, keys, want, f(rows, ctx))
		run(t, "index_scores", rows, pos, at, q, w, keys, scores)
		run(t, "select_topk", rows, pos, at, scores, sel)
		if !slices.Equal(sel.I32, want.I32) {
			t.Errorf("pos %d: chosen %v, want %v", pos, sel.I32, want.I32)
		}
		whole, part, stat, u := f(rows, heads, rank), f(rows, 4, heads, rank), f(rows, 4, heads, 2), f(rows, heads, rank)
		run(t, "mqa_attend", rows, pos, at, qa, qp, latent, sel, whole)
		run(t, "mqa_partial", rows, pos, at, qa, qp, latent, sel, part, stat)
		run(t, "mqa_combine", rows, pos, at, part, stat, u)
		weight, y, apart := arg(t, r, "q8_0", heads, 5, rank), f(rows, heads, 5), f(rows, heads, 5)
		run(t, "mqa_values", rows, pos, at, part, stat, weight, y)
		run(t, "head_matmul", rows, pos, at, u, weight, apart)
		if !slices.Equal(y.F32, apart.F32) {
			t.Errorf("pos %d: values %v, apart %v", pos, y.F32, apart.F32)
		}
		for i := range whole.F32 {
			if d := math.Abs(float64(whole.F32[i] - u.F32[i])); !(d <= 2e-6) {
				t.Fatalf("pos %d: element %d is %g, want %g", pos, i, u.F32[i], whole.F32[i])
			}
		}
	}
}
