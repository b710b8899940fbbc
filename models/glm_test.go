package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dsac/ir"
	"dsac/runtime/quant"
)

func fullLayers(b *Bound) []int {
	var full []int
	for l := 0; ; l++ {
		v, ok := b.ParamAt("full", l)
		if !ok {
			return full
		}
		if v.(bool) {
			full = append(full, l)
		}
	}
}

// spec section 1: full layers of GLM-5.2 without attention.indexer.types.
var full52 = []int{0, 1, 2, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 58, 62, 66, 70, 74}

func TestGLM52(t *testing.T) {
	f := glm52.header()
	if got, want := len(f.tensors), 1809; got != want {
		t.Fatalf("tensors of the fake: got %d, want %d", got, want)
	}
	m, err := Builtin("glm-dsa")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	b, err := m.Bind(f, BindOptions{KV: "f16"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("bound in %v", time.Since(start))
	if got := fullLayers(b); !slices.Equal(got, full52) {
		t.Errorf("full layers: got %v, want %v", got, full52)
	}
	if got, want := b.Ctx, 1048576; got != want {
		t.Errorf("context: got %d, want %d", got, want)
	}
	if got, want := b.Vocab(), 154880; got != want {
		t.Errorf("vocabulary: got %d, want %d", got, want)
	}
	// 3 + 78 layers of 10 + 21 indexers of 5 + 3 dense of 3 + 75 MoE of 8 (spec section 4.4).
	if got, want := len(b.Weights), 1497; got != want {
		t.Errorf("weights: got %d, want %d", got, want)
	}
	bytes := 0
	for _, s := range b.States {
		bytes += 2 * int(s.Type.Last().K)
	}
	if got, want := bytes, 95232; got != want {
		t.Errorf("cache bytes per token in f16: got %d, want %d (spec section 3)", got, want)
	}
	g, err := b.Graph("step")
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(g); err != nil {
		t.Error(err)
	}
	// Outside of layers: embed, take_rows, rmsnorm, matmul. Per layer 15 of attention, 8 of an
	// indexer where full, norm and residual around a dense (4) or MoE (15) feed-forward.
	if got, want := len(g.Nodes), 4+78*(15+2)+21*8+3*4+75*15; got != want {
		t.Errorf("nodes: got %d, want %d", got, want)
	}
}

func TestGLM5IsFullEverywhere(t *testing.T) {
	g := glm52
	g.ctx, g.base = 202752, 1e6
	b := mustBind(t, g.header(), BindOptions{KV: "f16"})
	if got, want := len(fullLayers(b)), 78; got != want {
		t.Errorf("full layers: got %d, want %d", got, want)
	}
	bytes := 0
	for _, s := range b.States {
		bytes += 2 * int(s.Type.Last().K)
	}
	if got, want := bytes, 109824; got != want {
		t.Errorf("cache bytes per token in f16: got %d, want %d (spec section 3)", got, want)
	}
}

func TestTypesListDecides(t *testing.T) {
	f := small.header()
	types := list[bool]{true, false, true, true, false}
	f.keys["glm-dsa.attention.indexer.types"] = types
	b := mustBind(t, f, BindOptions{})
	if got, want := fullLayers(b), []int{0, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("full layers: got %v, want %v", got, want)
	}
}

func TestOfficialConversionWithoutCopies(t *testing.T) {
	g := glm52
	g.indexers = func(l int) bool { return l == 78 || slices.Contains(full52, l) }
	f := g.header()
	if got, want := len(f.tensors), 1524; got != want {
		t.Fatalf("tensors of the fake: got %d, want %d", got, want)
	}
	mustBind(t, f, BindOptions{Ctx: 4096})
}

func TestTiedHead(t *testing.T) {
	f := small.header()
	f.drop("output.weight")
	b := mustBind(t, f, BindOptions{})
	g, err := b.Graph("step")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, a := range g.Args {
		if a.Name == "token_embd.weight" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("token_embd.weight is listed %d times, want once", n)
	}
	if last := g.Nodes[len(g.Nodes)-1]; last.In[1].Val != g.Nodes[0].In[1].Val {
		t.Error("head and embedding are two values of one tensor")
	}
}

func TestBadFiles(t *testing.T) {
	const pre = "glm-dsa."
	for _, c := range []struct {
		name   string
		change func(t *testing.T, f *fake)
		want   string
	}{
		{"wrong types length", func(t *testing.T, f *fake) { f.keys[pre+"attention.indexer.types"] = list[bool]{true, true} },
			`attention.indexer.types has 2 elements, want one for each of 5 layers`},
		{"layer 0 shared", func(t *testing.T, f *fake) {
			f.keys[pre+"attention.indexer.types"] = list[bool]{false, true, true, true, true}
		}, `attention.indexer.types: layer 0 is shared, but there is no layer before it whose choice it could share`},
		{"zero experts", func(t *testing.T, f *fake) { f.keys[pre+"expert_count"] = int64(0) },
			`zero experts: expert_count must be at least 1`},
		{"required keys", func(t *testing.T, f *fake) {
			delete(f.keys, pre+"attention.q_lora_rank")
			delete(f.keys, pre+"expert_count")
		}, `the file has no key "glm-dsa.attention.q_lora_rank", which the model needs
the file has no key "glm-dsa.expert_count", which the model needs`},
		{"key of another kind", func(t *testing.T, f *fake) { f.keys[pre+"embedding_length"] = "wide" },
			`param D is the string "wide", want an integer`},
		{"missing tensor", func(t *testing.T, f *fake) { f.drop("blk.3.attn_q_b.weight") },
			`the file has no tensor "blk.3.attn_q_b.weight", which blk[3].attn_q_b needs`},
		{"missing tensors", func(t *testing.T, f *fake) { f.drop("token_embd.weight"); f.drop("output.weight") },
			`the file has no tensor "token_embd.weight", which embd needs
the file has no tensor "output.weight" or "token_embd.weight", which head needs`},
		{"tensor of another shape", func(t *testing.T, f *fake) { f.tensor(t, "blk.2.attn_k_b.weight").Dims = []int{2, 16, 32} },
			`tensor "blk.2.attn_k_b.weight" is [2, 16, 32] in the file, want [2, 32, 16]`},
		{"unused tensor", func(t *testing.T, f *fake) { f.add(quant.F32, []int{4}, "rope_freqs.weight") },
			`unused weight: the file has tensor "rope_freqs.weight" [4], which no weight declares and no ignore covers`},
		{"type that cannot be decoded", func(t *testing.T, f *fake) { f.tensor(t, "blk.4.ffn_up_exps.weight").Type = quant.IQ2XXS },
			`tensor "blk.4.ffn_up_exps.weight" has the type iq2_xxs, which cannot be decoded yet`},
		{"too many layers", func(t *testing.T, f *fake) { f.keys[pre+"block_count"] = int64(5000) },
			`block_count 5000 leaves 5000 layers without the MTP layers, want 1 to 4096`},
		{"more experts used than there are", func(t *testing.T, f *fake) { f.keys[pre+"expert_used_count"] = int64(5) },
			`expert_used_count is 5, want 1 to expert_count 4`},
		{"softmax gating", func(t *testing.T, f *fake) { f.keys[pre+"expert_gating_func"] = int64(1) },
			`expert_gating_func is 1, want 2 (sigmoid)`},
		{"rope scaling", func(t *testing.T, f *fake) { f.keys[pre+"rope.scaling.factor"] = 4.0 },
			`rope.scaling.factor is 4: glm-dsa has no rope scaling`},
		{"experts of several widths", func(t *testing.T, f *fake) {
			f.keys[pre+"expert_feed_forward_length"] = list[int64]{32, 32, 48}
		}, `uniform: the list is not uniform: element 0 is 32, element 2 is 48`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := small.header()
			c.change(t, f)
			m, err := Builtin("glm-dsa")
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Bind(f, BindOptions{})
			if got := messages(err); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// messages returns the messages of Errors without their places, which move with every edit of
// a description.
func messages(err error) string {
	var all Errors
	if !errors.As(err, &all) {
		return fmt.Sprint(err)
	}
	var msgs []string
	for _, e := range all {
		msgs = append(msgs, e.Msg)
	}
	return strings.Join(msgs, "\n")
}

func TestUndecodableTypeIsErrUnsupported(t *testing.T) {
	f := small.header()
	f.tensor(t, "output.weight").Type = quant.IQ1S
	m, _ := Builtin("glm-dsa")
	if _, err := m.Bind(f, BindOptions{}); !errors.Is(err, quant.ErrUnsupported) {
		t.Errorf("got %v, want quant.ErrUnsupported inside", err)
	}
}

func TestOptionErrors(t *testing.T) {
	m, _ := Builtin("glm-dsa")
	f := small.header()
	_, err := m.Bind(f, BindOptions{Ctx: 5000})
	fails(t, err, "context 5000 is larger than the model's (glm-dsa.context_length = 4096)")
	_, err = m.Bind(f, BindOptions{Ctx: -1})
	fails(t, err, "context -1: want at least 1")
	delete(f.keys, "glm-dsa.context_length")
	_, err = m.Bind(f, BindOptions{})
	fails(t, err, "the file has no usable glm-dsa.context_length (none); give the context")
	f.arch = "llama"
	_, err = m.Bind(f, BindOptions{})
	fails(t, err, `the file's architecture is "llama", glm_dsa.dsl describes "glm-dsa"`)
	_, err = Builtin("llama")
	fails(t, err, `architecture "llama" is not known; known are deepseek32, glm-dsa; describe it in a DSL file and give it with --model`)
	b := mustBind(t, small.header(), BindOptions{})
	_, err = b.Graph("run")
	fails(t, err, `glm_dsa.dsl has no entry "run"; it has ["step"]`)
}

func BenchmarkBindGLM52(b *testing.B) {
	f := glm52.header()
	for b.Loop() {
		mustBind(b, f, BindOptions{})
	}
}
