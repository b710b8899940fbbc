package host

import (
	"fmt"
	"math"
	"testing"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
)

// glm builds plans of GLM-DSA files by hand, in the fused form with absorbed attention
// (docs/spec/glm-dsa.md section 2), so that the device is tested without the compiler.
type glm struct {
	*builder
	file                    *gguf.File
	ctx, layers, dense      int
	d, heads, rank, rope    int
	nope, vdim, idxK, vocab int
	idxHeads, idxDim        int
	experts, used           int
	eps, base, scale        float64
	full                    []bool
	kv                      string
	w                       map[string]int32
	latent, keys            []int32
	ids, params, mask, hist int32
}

func newGLM(t testing.TB, f *gguf.File, ctx int, kv string) *glm {
	g := &glm{builder: newBuilder(t, ctx), file: f, ctx: ctx, kv: kv, w: map[string]int32{}}
	u := func(key string) int {
		v, ok, err := f.Uint("glm-dsa." + key)
		if err != nil || !ok {
			t.Fatalf("key %s: %v, %v", key, ok, err)
		}
		return int(v)
	}
	fl := func(key string) float64 {
		v, _, err := f.Float("glm-dsa." + key)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	g.layers, g.dense = u("block_count"), u("leading_dense_block_count")
	if v, ok, _ := f.Uint("glm-dsa.nextn_predict_layers"); ok {
		g.layers -= int(v)
	}
	g.d, g.heads, g.rank, g.rope = u("embedding_length"), u("attention.head_count"), u("attention.kv_lora_rank"), u("rope.dimension_count")
	g.nope, g.vdim = u("attention.key_length_mla")-g.rope, u("attention.value_length_mla")
	g.idxK, g.idxHeads, g.idxDim = u("attention.indexer.top_k"), u("attention.indexer.head_count"), u("attention.indexer.key_length")
	g.experts, g.used, g.vocab = u("expert_count"), u("expert_used_count"), u("vocab_size")
	g.eps, g.base, g.scale = fl("attention.layer_norm_rms_epsilon"), fl("rope.freq_base"), fl("expert_weights_scale")
	full, ok, err := f.Bools("glm-dsa.attention.indexer.types")
	if err != nil || !ok {
		t.Fatalf("indexer.types: %v, %v", ok, err)
	}
	g.full = full
	return g
}

func (g *glm) tensor(name string) int32 {
	if i, ok := g.w[name]; ok {
		return i
	}
	t := g.file.Tensor(name)
	if t == nil {
		g.t.Fatalf("no tensor %s", name)
	}
	var shape []int
	for i := len(t.Dims) - 1; i >= 0; i-- {
		shape = append(shape, int(t.Dims[i]))
	}
	g.w[name] = g.weight(name, t.Type.String(), shape...)
	return g.w[name]
}

// shared adds the buffers of all entries; rows is the largest entry's.
func (g *glm) shared(rows int) {
	g.ids = g.buf("ids", inI, "i32", rows)
	g.params, g.mask = g.buf("params", inI, "u8", plan.SmpSize), g.buf("mask", inI, "u8", g.vocab)
	g.hist = g.buf("hist", inS, "i32", g.vocab)
	for l := range g.layers {
		g.latent = append(g.latent, g.cache(fmt.Sprintf("latent.%d", l), l, g.kv, g.ctx, g.rank+g.rope))
		key := plan.None
		if g.full[l] {
			key = g.cache(fmt.Sprintf("ikey.%d", l), l, g.kv, g.ctx, g.idxDim)
		}
		g.keys = append(g.keys, key)
	}
}

// build adds an entry of t rows with outs rows of logits.
func (g *glm) build(name string, t, outs int) {
	g.begin(name, t, outs)
	rms := func(x any, w string, cols int) int32 {
		y := g.tmp("norm", t, cols)
		g.step("rmsnorm", []plan.Attr{g.f("eps", g.eps)}, x, g.tensor(w), y)
		return y
	}
	mm := func(x any, w string, n int) int32 {
		y := g.tmp(w+".out", t, n)
		g.step("matmul", nil, x, g.tensor(w), y)
		return y
	}
	rope := func(x any, shape ...int) int32 {
		y := g.tmp("rope", shape...)
		g.step("rope", []plan.Attr{g.f("base", g.base), g.i("dims", g.rope), g.i("off", 0), g.b.TextAttr("style", "interleaved")}, x, y)
		return y
	}
	x := g.tmp("x0", t, g.d)
	g.step("embed", nil, g.ids, g.tensor("token_embd.weight"), x)
	var sel int32
	for l := range g.layers {
		blk := fmt.Sprintf("blk.%d.", l)
		a := rms(x, blk+"attn_norm.weight", g.d)
		qr := mm(a, blk+"attn_q_a.weight", int(g.file.Tensor(blk + "attn_q_a.weight").Dims[1]))
		qr = rms(qr, blk+"attn_q_a_norm.weight", int(g.file.Tensor(blk + "attn_q_a.weight").Dims[1]))
		q := g.tmp("q", t, g.heads, g.nope+g.rope)
		g.step("matmul", nil, qr, g.tensor(blk+"attn_q_b.weight"), q)
		ckv := mm(a, blk+"attn_kv_a_mqa.weight", g.rank+g.rope)
		c := rms(columns{ckv, 0, g.rank}, blk+"attn_kv_a_norm.weight", g.rank)
		kpe := rope(columns{ckv, g.rank, g.rank + g.rope}, t, g.rope)
		g.step("append2", nil, c, kpe, g.latent[l])
		qp := rope(columns{q, g.nope, g.nope + g.rope}, t, g.heads, g.rope)
		qa := g.tmp("qa", t, g.heads, g.rank)
		g.step("head_matmul", nil, columns{q, 0, g.nope}, g.tensor(blk+"attn_k_b.weight"), qa)
		if g.full[l] {
			sel = g.indexer(blk, l, t, a, qr, rope)
		}
		u := g.tmp("u", t, g.heads, g.rank)
		g.step("mqa_attend", []plan.Attr{g.f("scale", 1/math.Sqrt(float64(g.nope+g.rope)))}, qa, qp, g.latent[l], sel, u)
		o := g.tmp("o", t, g.heads, g.vdim)
		g.step("head_matmul", nil, u, g.tensor(blk+"attn_v_b.weight"), o)
		y := g.tmp("y", t, g.d)
		g.step("matmul_add", nil, o, g.tensor(blk+"attn_output.weight"), x, y)
		x = g.ffn(blk, l, t, y, rms, mm)
	}
	h := rms(x, "output_norm.weight", g.d)
	last := g.tmp("last", outs, g.d)
	g.step("take_rows", nil, h, last)
	logits := g.buf("logits."+name, inO, "f32", outs, g.vocab)
	g.step("matmul", nil, last, g.tensor("output.weight"), logits)
	g.epilogue(logits)
	g.end()
}

func (g *glm) indexer(blk string, l, t int, a, qr int32, rope func(any, ...int) int32) int32 {
	qi := g.tmp("qi", t, g.idxHeads, g.idxDim)
	g.step("matmul", nil, qr, g.tensor(blk+"indexer.attn_q_b.weight"), qi)
	qrot := rope(qi, t, g.idxHeads, g.idxDim)
	ki, kn := g.tmp("ki", t, g.idxDim), g.tmp("kn", t, g.idxDim)
	g.step("matmul", nil, a, g.tensor(blk+"indexer.attn_k.weight"), ki)
	g.step("layernorm", []plan.Attr{g.f("eps", 1e-6)}, ki, g.tensor(blk+"indexer.k_norm.weight"), g.tensor(blk+"indexer.k_norm.bias"), kn)
	krot := rope(kn, t, g.idxDim)
	g.step("append", nil, krot, g.keys[l])
	w := g.tmp("iw", t, g.idxHeads)
	g.step("matmul", nil, a, g.tensor(blk+"indexer.proj.weight"), w)
	sel := g.buf("sel", inA, "i32", t, g.idxK)
	scores := g.buf("scores", inA, "f32", min(t, 64), g.ctx)
	g.step("index_topk", []plan.Attr{g.i("k", g.idxK), g.f("scale", 1/math.Sqrt(float64(g.idxHeads*g.idxDim)))}, qrot, w, g.keys[l], sel, scores)
	return sel
}

func (g *glm) ffn(blk string, l, t int, x int32, rms func(any, string, int) int32, mm func(any, string, int) int32) int32 {
	f := rms(x, blk+"ffn_norm.weight", g.d)
	gated := func(gate, up, down string, res int32) int32 {
		n := int(g.file.Tensor(blk + gate).Dims[1])
		h, y := g.tmp("h", t, n), g.tmp("y", t, g.d)
		g.step("gate_up", nil, f, g.tensor(blk+gate), g.tensor(blk+up), h)
		g.step("matmul_add", nil, h, g.tensor(blk+down), res, y)
		return y
	}
	if l < g.dense {
		return gated("ffn_gate.weight", "ffn_up.weight", "ffn_down.weight", x)
	}
	x = gated("ffn_gate_shexp.weight", "ffn_up_shexp.weight", "ffn_down_shexp.weight", x)
	z := mm(f, blk+"ffn_gate_inp.weight", g.experts)
	idx, gate := g.buf("idx", inA, "i32", t, g.used), g.tmp("g", t, g.used)
	g.step("router", []plan.Attr{g.f("floor", 6.103515625e-5), g.i("groups", 1), g.i("k", g.used), g.i("norm", 1), g.f("scale", g.scale), g.i("used", 1)},
		z, g.tensor(blk+"exp_probs_b.bias"), idx, gate)
	n := int(g.file.Tensor(blk + "ffn_gate_exps.weight").Dims[1])
	h, y := g.tmp("eh", t, g.used, n), g.tmp("y", t, g.d)
	g.step("expert_gate_up", nil, f, g.tensor(blk+"ffn_gate_exps.weight"), g.tensor(blk+"ffn_up_exps.weight"), idx, h)
	g.step("expert_down_add", nil, h, g.tensor(blk+"ffn_down_exps.weight"), idx, gate, x, y)
	return y
}

// epilogue draws a token and advances.
func (g *glm) epilogue(logits int32) {
	g.step("sample", nil, logits, g.params, g.mask, g.hist, g.ctl)
	g.step("advance", nil, g.ctl, g.ids)
}
