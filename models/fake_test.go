package models

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dsac/runtime/quant"
)

// fake is a Header for tests.
type fake struct {
	arch    string
	keys    map[string]any // by full name
	tensors []Tensor
}

func (f *fake) Arch() string                 { return f.arch }
func (f *fake) Value(key string) (any, bool) { v, ok := f.keys[key]; return v, ok }
func (f *fake) Tensors() []Tensor            { return f.tensors }

func (f *fake) add(typ quant.Type, dims []int, format string, args ...any) {
	f.tensors = append(f.tensors, Tensor{fmt.Sprintf(format, args...), typ, dims})
}

// tensor returns the tensor of that name, to be changed in place.
func (f *fake) tensor(t *testing.T, name string) *Tensor {
	t.Helper()
	i := slices.IndexFunc(f.tensors, func(x Tensor) bool { return x.Name == name })
	if i < 0 {
		t.Fatalf("fake has no tensor %q", name)
	}
	return &f.tensors[i]
}

func (f *fake) drop(name string) {
	f.tensors = slices.DeleteFunc(f.tensors, func(x Tensor) bool { return x.Name == name })
}

// geometry are the sizes of a fake model file, written as docs/spec/glm-dsa.md lists them.
type geometry struct {
	arch                                       string
	layers, mtp, dense, d, v, ff, heads        int
	qr, kvr, hd, vd, rope                      int
	ih, id, topk, experts, used, fe, groups, m int
	ctx                                        int
	base                                       float64
	indexers                                   func(l int) bool // blocks with indexer tensors
}

var glm52 = geometry{
	arch: "glm-dsa", layers: 78, mtp: 1, dense: 3, d: 6144, v: 154880, ff: 12288, heads: 64,
	qr: 2048, kvr: 512, hd: 256, vd: 256, rope: 64, ih: 32, id: 128, topk: 2048,
	experts: 256, used: 8, fe: 2048, groups: 1, m: 1, ctx: 1048576, base: 8e6,
}

var small = geometry{
	arch: "glm-dsa", layers: 5, dense: 1, d: 64, v: 96, ff: 128, heads: 2,
	qr: 32, kvr: 32, hd: 24, vd: 16, rope: 8, ih: 2, id: 16, topk: 4,
	experts: 4, used: 2, fe: 32, groups: 1, m: 1, ctx: 4096, base: 1e6,
}

func (g geometry) header() *fake {
	f := &fake{arch: g.arch, keys: map[string]any{"general.architecture": g.arch}}
	for name, v := range map[string]any{
		"block_count": g.layers + g.mtp, "nextn_predict_layers": g.mtp, "context_length": g.ctx,
		"embedding_length": g.d, "vocab_size": g.v, "feed_forward_length": g.ff,
		"leading_dense_block_count": g.dense, "attention.head_count": g.heads,
		"attention.q_lora_rank": g.qr, "attention.kv_lora_rank": g.kvr,
		"attention.key_length_mla": g.hd, "attention.value_length_mla": g.vd,
		"attention.layer_norm_rms_epsilon": 1e-5, "rope.dimension_count": g.rope, "rope.freq_base": g.base,
		"attention.indexer.head_count": g.ih, "attention.indexer.key_length": g.id, "attention.indexer.top_k": g.topk,
		"expert_count": g.experts, "expert_used_count": g.used, "expert_shared_count": g.m,
		"expert_feed_forward_length": g.fe, "expert_group_count": g.groups, "expert_group_used_count": (g.groups + 1) / 2,
		"expert_gating_func": 2, "expert_weights_norm": true, "expert_weights_scale": 2.5,
	} {
		if i, ok := v.(int); ok {
			v = int64(i)
		}
		f.keys[g.arch+"."+name] = v
	}
	f.add(quant.Q8_0, []int{g.v, g.d}, "token_embd.weight")
	f.add(quant.F32, []int{g.d}, "output_norm.weight")
	f.add(quant.Q8_0, []int{g.v, g.d}, "output.weight")
	for l := range g.layers + g.mtp {
		g.block(f, l)
	}
	return f
}

func (g geometry) block(f *fake, l int) {
	f.add(quant.F32, []int{g.d}, "blk.%d.attn_norm.weight", l)
	f.add(quant.Q8_0, []int{g.qr, g.d}, "blk.%d.attn_q_a.weight", l)
	f.add(quant.F32, []int{g.qr}, "blk.%d.attn_q_a_norm.weight", l)
	f.add(quant.Q8_0, []int{g.heads * g.hd, g.qr}, "blk.%d.attn_q_b.weight", l)
	f.add(quant.Q8_0, []int{g.kvr + g.rope, g.d}, "blk.%d.attn_kv_a_mqa.weight", l)
	f.add(quant.F32, []int{g.kvr}, "blk.%d.attn_kv_a_norm.weight", l)
	f.add(quant.Q8_0, []int{g.heads, g.kvr, g.hd - g.rope}, "blk.%d.attn_k_b.weight", l)
	f.add(quant.Q8_0, []int{g.heads, g.vd, g.kvr}, "blk.%d.attn_v_b.weight", l)
	f.add(quant.Q8_0, []int{g.d, g.heads * g.vd}, "blk.%d.attn_output.weight", l)
	f.add(quant.F32, []int{g.d}, "blk.%d.ffn_norm.weight", l)
	if g.indexers == nil || g.indexers(l) {
		f.add(quant.Q8_0, []int{g.ih * g.id, g.qr}, "blk.%d.indexer.attn_q_b.weight", l)
		f.add(quant.Q8_0, []int{g.id, g.d}, "blk.%d.indexer.attn_k.weight", l)
		f.add(quant.F32, []int{g.id}, "blk.%d.indexer.k_norm.weight", l)
		f.add(quant.F32, []int{g.id}, "blk.%d.indexer.k_norm.bias", l)
		f.add(quant.F32, []int{g.ih, g.d}, "blk.%d.indexer.proj.weight", l)
	}
	if l < g.dense {
		f.add(quant.Q4_K, []int{g.ff, g.d}, "blk.%d.ffn_gate.weight", l)
		f.add(quant.Q4_K, []int{g.ff, g.d}, "blk.%d.ffn_up.weight", l)
		f.add(quant.Q6_K, []int{g.d, g.ff}, "blk.%d.ffn_down.weight", l)
	} else {
		f.add(quant.F32, []int{g.experts, g.d}, "blk.%d.ffn_gate_inp.weight", l)
		f.add(quant.F32, []int{g.experts}, "blk.%d.exp_probs_b.bias", l)
		f.add(quant.Q4_K, []int{g.experts, g.fe, g.d}, "blk.%d.ffn_gate_exps.weight", l)
		f.add(quant.Q4_K, []int{g.experts, g.fe, g.d}, "blk.%d.ffn_up_exps.weight", l)
		f.add(quant.Q5_K, []int{g.experts, g.d, g.fe}, "blk.%d.ffn_down_exps.weight", l)
		f.add(quant.Q8_0, []int{g.fe * g.m, g.d}, "blk.%d.ffn_gate_shexp.weight", l)
		f.add(quant.Q8_0, []int{g.fe * g.m, g.d}, "blk.%d.ffn_up_shexp.weight", l)
		f.add(quant.Q8_0, []int{g.d, g.fe * g.m}, "blk.%d.ffn_down_shexp.weight", l)
	}
	if l >= g.layers {
		f.add(quant.Q8_0, []int{g.d, 2 * g.d}, "blk.%d.nextn.eh_proj.weight", l)
		for _, n := range []string{"enorm", "hnorm", "shared_head_norm"} {
			f.add(quant.F32, []int{g.d}, "blk.%d.nextn.%s.weight", l, n)
		}
	}
}

// mustBind binds the built-in description of a header's architecture.
func mustBind(t testing.TB, f Header, opt BindOptions) *Bound {
	t.Helper()
	m, err := Builtin(f.Arch())
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Bind(f, opt)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fails demands that an error is there and says exactly want.
func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want\n%s", want)
	}
	if got := err.Error(); got != strings.TrimPrefix(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.TrimPrefix(want, "\n"))
	}
}
