package host

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkOps times the fast ops at the shapes of the golden model "calm": 8 heads of 192+64,
// latent 512+64, 16 index heads of 128, top-k 64, 8 experts of which 4 are used.
func BenchmarkOps(b *testing.B) {
	list := func(t, k, below int) operand { return operand{dtype: "i32", shape: []int{t, k}, sorted: below} }
	for _, n := range []int{1, 128} {
		cases := []struct {
			name string
			macs int
			op   opCase
		}{
			{"matmul/q4_k", n * 256 * 2048, opCase{op: "matmul", args: []operand{f32(n, 256), typed("q4_k", 2048, 256), f32(n, 2048)}}},
			{"matmul/q8_0", n * 2048 * 256, opCase{op: "matmul", args: []operand{f32(n, 2048), typed("q8_0", 256, 2048), f32(n, 256)}}},
			{"matmul/q6_k", n * 1024 * 256, opCase{op: "matmul", args: []operand{f32(n, 256), typed("q6_k", 1024, 256), f32(n, 1024)}}},
			{"head_matmul/q5_0", n * 8 * 192 * 512, opCase{op: "head_matmul", args: []operand{f32(n, 8, 256).columns(0, 192), typed("q5_0", 8, 512, 192), f32(n, 8, 512)}}},
			{"expert_gate_up/q4_k", n * 4 * 2 * 256 * 256, opCase{op: "expert_gate_up", args: []operand{f32(n, 256), typed("q4_k", 8, 256, 256), typed("q4_k", 8, 256, 256), list(n, 4, 8), f32(n, 4, 256)}}},
			{"expert_down/q4_k", n * 4 * 256 * 256, opCase{op: "expert_down", args: []operand{f32(n, 4, 256), typed("q4_k", 8, 256, 256), list(n, 4, 8), f32(n, 4), f32(n, 256)}}},
			{"mqa_attend", n * 8 * 64 * (576 + 512), opCase{op: "mqa_attend", pos: 800, attrs: ints("scale", 0.0625),
				args: []operand{f32(n, 8, 512), f32(n, 8, 256).columns(192, 64), f32(1024, 576), list(n, 64, 0), f32(n, 8, 512)}}},
			{"index_topk", n * 16 * 128 * (800 + n/2), opCase{op: "index_topk", pos: 800, attrs: ints("scale", 0.0221, "k", 64),
				args: []operand{f32(n, 16, 128), f32(n, 16), f32(1024, 128), list(n, 64, 64), f32(n, 1024)}}},
		}
		for _, bc := range cases {
			b.Run(fmt.Sprintf("%s/n%d", bc.name, n), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				c := newCall(b, r, n, bc.op.pos, bc.op.attrs, bc.op.args...)
				e := newEngine(1)
				defer e.close()
				for b.Loop() {
					kernels[bc.op.op](e, c)
				}
				b.ReportMetric(float64(bc.macs)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
			})
		}
	}
}
