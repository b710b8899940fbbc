package ref

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestFusedOpsAreTheirParts: a fused op gives the bits of its parts run one after the other.
func TestFusedOpsAreTheirParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n, k, m = 5, 64, 12
	none := Attrs{}
	f := func(shape ...int) Arg { return arg(t, r, "f32", shape...) }
	q := func(shape ...int) Arg { return arg(t, r, "q8_0", shape...) }
	equal := func(name string, got, want Arg) {
		t.Helper()
		if !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s differs from its parts", name)
		}
	}

	x, w, u, res := f(n, k), q(m, k), q(m, k), f(n, m)
	p1, p2, want, got := f(n, m), f(n, m), f(n, m), f(n, m)
	run(t, "matmul", n, 0, none, x, w, p1)
	run(t, "add", n, 0, none, p1, res, want)
	run(t, "matmul_add", n, 0, none, x, w, res, got)
	equal("matmul_add", got, want)

	run(t, "matmul", n, 0, none, x, u, p2)
	run(t, "silu_mul", n, 0, none, p1, p2, want)
	run(t, "gate_up", n, 0, none, x, w, u, got)
	equal("gate_up", got, want)

	a, b, both := f(n, 6), columns(t, f(n, 9), 2, 4), f(n, 10)
	s1, s2 := f(20, 10), f(20, 10)
	copy(s2.Data, s1.Data)
	run(t, "concat", n, 0, none, a, b, both)
	run(t, "append", n, 7, none, both, s1)
	run(t, "append2", n, 7, none, a, b, s2)
	equal("append2", s2, s1)

	const experts, slots = 8, 2
	route := attrs("k", slots, "norm", 1, "scale", 2.5, "floor", 6.103515625e-5, "groups", 4, "used", 2)
	z, bias := f(n, experts), f(experts)
	p, sel, masked := f(n, experts), f(n, experts), f(n, experts)
	idx, idx2, g, g2 := arg(t, r, "i32", n, slots), arg(t, r, "i32", n, slots), f(n, slots), f(n, slots)
	run(t, "sigmoid", n, 0, none, z, p)
	run(t, "add_row", n, 0, none, p, bias, sel)
	run(t, "group_mask", n, 0, route, sel, masked)
	run(t, "topk", n, 0, route, masked, idx)
	run(t, "gate_weights", n, 0, route, p, idx, g)
	run(t, "router", n, 0, route, z, bias, idx2, g2)
	equal("router's choice", idx2, idx)
	equal("router's weights", g2, g)

	eg, eu, ed := q(experts, m, k), q(experts, m, k), arg(t, r, "f16", experts, k, m)
	y1, y2, h, h2 := f(n, slots, m), f(n, slots, m), f(n, slots, m), f(n, slots, m)
	run(t, "expert_matmul", n, 0, none, x, eg, idx, y1)
	run(t, "expert_matmul", n, 0, none, x, eu, idx, y2)
	run(t, "silu_mul", n, 0, none, y1, y2, h)
	run(t, "expert_gate_up", n, 0, none, x, eg, eu, idx, h2)
	equal("expert_gate_up", h2, h)

	down, out, out2, resK := f(n, slots, k), f(n, k), f(n, k), f(n, k)
	run(t, "expert_matmul", n, 0, none, h, ed, idx, down)
	run(t, "expert_combine", n, 0, none, down, g, out)
	run(t, "expert_down", n, 0, none, h, ed, idx, g, out2)
	equal("expert_down", out2, out)
	run(t, "add", n, 0, none, out, resK, out)
	run(t, "expert_down_add", n, 0, none, h, ed, idx, g, resK, out2)
	equal("expert_down_add", out2, out)
}

// TestAttentionFormsAgree: expanded attention equals absorbed attention with k_b moved to the
// query and v_b behind the sum (docs/spec/glm-dsa.md section 2.2).
func TestAttentionFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const n, pos, heads, nope, rope, rank, vdim, k = 4, 9, 3, 32, 8, 64, 16, 6
	f := func(shape ...int) Arg { return arg(t, r, "f32", shape...) }
	q, latent := f(n, heads, nope+rope), f(20, rank+rope)
	kb, vb := arg(t, r, "q8_0", heads, rank, nope), arg(t, r, "q8_0", heads, vdim, rank)
	sel := arg(t, r, "i32", n, k) // below k+2, all visible at pos
	sel.I32[5] = -1               // a list that ends early
	at := attrs("scale", 0.2, "nope", nope)
	want := f(n, heads, vdim)
	run(t, "mla_attend", n, pos, at, q, latent, kb, vb, sel, want)

	qa, u, got := f(n, heads, rank), f(n, heads, rank), f(n, heads, vdim)
	run(t, "head_matmul", n, pos, at, columns(t, q, 0, nope), kb, qa)
	run(t, "mqa_attend", n, pos, at, qa, columns(t, q, nope, rope), latent, sel, u)
	run(t, "head_matmul", n, pos, at, u, vb, got)
	for i := range want.F32 {
		if !near(float64(got.F32[i]), float64(want.F32[i]), 2e-6) {
			t.Fatalf("element %d: got %v, want %v", i, got.F32[i], want.F32[i])
		}
	}
}
