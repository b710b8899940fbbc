package kernels

import (
	"testing"

	"dsac/codegen"
	"dsac/ir"
	"dsac/ir/ops"
)

func scoreSpec(rows, heads, dim, ctx int, kv string) codegen.Spec {
	return codegen.Spec{
		Op: "index_scores", Rows: rows, Context: ctx, Attrs: ir.Attrs{{Name: "scale", Val: 1.0 / 64}, {Name: "width", Val: int64(ops.ScoreWidth(ctx))}},
		Operands: operands(dense(rows, heads, dim), dense(rows, heads), typed(kv, ctx, dim), dense(rows, ops.ScoreWidth(ctx))),
	}
}

func TestIndexScores(t *testing.T) {
	var trials []trial
	for _, c := range []struct {
		rows, heads, dim, ctx int
		kv                    string
		steps                 []step
	}{
		{1, 32, 128, 100, "f16", []step{{1, 0}, {1, 77}, {1, 99}}},
		{8, 8, 64, 70, "f16", []step{{8, 33}, {3, 0}, {1, 69}}},
		{3, 5, 32, 64, "f16", []step{{3, 20}, {2, 62}}},
		{2, 16, 128, 65, "bf16", []step{{2, 63}, {1, 31}}},
		{2, 16, 64, 33, "f32", []step{{2, 31}, {1, 3}}},
		{1, 1, 32, 4096, "f16", []step{{1, 40}}},
		{16, 64, 32, 90, "f16", []step{{16, 70}, {9, 3}, {7, 0}}},
	} {
		trials = append(trials, trial{spec: scoreSpec(c.rows, c.heads, c.dim, c.ctx, c.kv), steps: c.steps})
	}
	check(t, trials)
}
