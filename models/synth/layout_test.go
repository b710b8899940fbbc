package synth

import (
	"reflect"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/gguf"
	"dsac/runtime/quant"
)

func TestTensorCounts(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		want int
	}{
		{"glm-5.2_public", Options{Geometry: "glm-5.2"}, 1809},
		{"glm-5_public", Options{Geometry: "glm-5"}, 1809},
		{"glm-5.2_official_with_mtp", Options{Geometry: "glm-5.2", Official: true}, 1524},
		{"glm-5.2_official_without_mtp", Options{Geometry: "glm-5.2", Official: true, MTP: MTPWithout}, 1497},
		{"glm-5_without_mtp", Options{Geometry: "glm-5", MTP: MTPWithout}, 1782},
		{"slice", Options{Geometry: "glm-5", Layers: 5, Quant: "slice"}, 3 + 3*18 + 2*23},
		{"slice_with_mtp", Options{Geometry: "glm-5", Layers: 5, MTP: MTPWith}, 3 + 3*18 + 2*23 + 27},
		{"tiny", Options{Geometry: "tiny"}, 67},
		{"one_dense_layer", Options{Geometry: "glm-5", Layers: 1}, 3 + 18},
		{"deepseek-v3.2", Options{Geometry: "deepseek-v3.2"}, 3 + 3*18 + 58*23 + 27},
		{"deepseek-tiny", Options{Geometry: "deepseek-tiny"}, 3 + 18 + 3*23},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.NoVocab = true
			m, err := New(tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(m.Tensors()); got != tt.want {
				t.Errorf("%d tensors, want %d", got, tt.want)
			}
		})
	}
}

// The mix of the public files, docs/spec/glm-dsa.md section 4.5.
func TestUDQ4KXLMix(t *testing.T) {
	m, err := New(Options{Geometry: "glm-5.2", NoVocab: true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[quant.Type]int{}
	for _, tn := range m.Tensors() {
		got[tn.Type]++
	}
	want := map[quant.Type]int{quant.F32: 709, quant.Q8_0: 872, quant.Q4_K: 150, quant.Q5_K: 74, quant.Q6_K: 4}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("types %v, want %v", got, want)
	}
	// 435.19 GiB in eleven files, metadata included.
	if gib := float64(m.DataBytes()) / (1 << 30); gib < 435.15 || gib > 435.20 {
		t.Errorf("%.3f GiB of tensors, want 435.19", gib)
	}
	size := func(name string) uint64 {
		for _, tn := range m.Tensors() {
			if tn.Name == name {
				return tn.Size
			}
		}
		return 0
	}
	for name, want := range map[string]uint64{
		"blk.0.attn_output.weight": 106954752, "blk.9.ffn_gate_exps.weight": 1811939328, "blk.9.ffn_down_exps.weight": 2214592512,
	} {
		if got := size(name); got != want {
			t.Errorf("%s has %d bytes, want %d", name, got, want)
		}
	}
}

// The baseline's file of 14,079,894,144 bytes had a header of 7,808.
func TestSliceSize(t *testing.T) {
	m, err := New(Options{Geometry: "glm-5", Layers: 5, Quant: "slice", NoVocab: true})
	if err != nil {
		t.Fatal(err)
	}
	var padded uint64
	for _, tn := range m.Tensors() {
		padded += (tn.Size + 31) &^ 31
	}
	if want := uint64(14079894144 - 7808); padded != want {
		t.Errorf("%d bytes of tensors, want %d", padded, want)
	}
}

// tiny must be the model that the golden files hold.
func TestTinyEqualsTheGoldenGeometry(t *testing.T) {
	f, err := gguf.Open(fixture.Path(t, "golden", "tiny", "q4_k_m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path := t.TempDir() + "/tiny.gguf"
	if _, err := Write(path, Options{Geometry: "tiny"}); err != nil {
		t.Fatal(err)
	}
	s, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, want := len(s.Tensors), len(f.Tensors); got != want {
		t.Fatalf("%d tensors, want %d", got, want)
	}
	for i := range f.Tensors {
		got, want := &s.Tensors[i], &f.Tensors[i]
		if got.Name != want.Name || !reflect.DeepEqual(got.Dims, want.Dims) {
			t.Errorf("tensor %d is %s %v, want %s %v", i, got.Name, got.Dims, want.Name, want.Dims)
		}
	}
	for i := range f.Keys {
		want := &f.Keys[i]
		if !strings.HasPrefix(want.Name, "glm-dsa.") && !strings.HasSuffix(want.Name, "_token_id") {
			continue
		}
		got := s.Key(want.Name)
		if got == nil || got.TypeString() != want.TypeString() || got.Text(10) != want.Text(10) {
			t.Errorf("key %s: got %v, want %s", want.Name, got, want.Text(10))
		}
	}
	for _, key := range []string{"tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.ggml.merges"} {
		if got, want := s.Key(key).TypeString(), f.Key(key).TypeString(); got != want {
			t.Errorf("key %s is %s, want %s", key, got, want)
		}
	}
}

func TestRecipes(t *testing.T) {
	tests := []struct {
		quant, tensor, want string
	}{
		{"q4_k_m", "output.weight", "q6_k"}, {"q4_k_m", "token_embd.weight", "q4_k"},
		{"q4_k_m", "blk.0.attn_k_b.weight", "q5_0"}, {"q4_k_m", "blk.0.attn_norm.weight", "f32"},
		{"q4_k_m", "blk.2.ffn_down_exps.weight", "q6_k"}, {"q4_k_m", "blk.1.ffn_down_exps.weight", "q4_k"},
		{"q8_0", "blk.1.ffn_gate_inp.weight", "f32"}, {"q8_0", "blk.1.indexer.proj.weight", "f32"},
		{"bf16", "blk.1.ffn_up_exps.weight", "bf16"}, {"bf16", "blk.1.exp_probs_b.bias", "f32"},
		{"q2_k", "blk.0.attn_k_b.weight", "q4_0"}, {"q6_k", "blk.0.attn_k_b.weight", "q8_0"},
		{"iq4_xs", "blk.0.attn_k_b.weight", "iq4_nl"}, {"q5_k", "blk.0.attn_k_b.weight", "q5_1"},
		{"mxfp4_moe", "blk.0.attn_v_b.weight", "mxfp4"}, {"mxfp4_moe", "blk.0.attn_q_a.weight", "q8_0"},
		{"slice", "blk.0.indexer.proj.weight", "q8_0"}, {"slice", "blk.1.ffn_down_shexp.weight", "q6_k"},
	}
	for _, tt := range tests {
		m, err := New(Options{Geometry: "tiny", Quant: tt.quant, NoVocab: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, tn := range m.Tensors() {
			if tn.Name == tt.tensor && tn.Type.String() != tt.want {
				t.Errorf("%s: %s is %s, want %s", tt.quant, tt.tensor, tn.Type, tt.want)
			}
		}
	}
	for _, name := range Recipes() {
		if _, err := New(Options{Geometry: "tiny", Quant: name, NoVocab: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Geometry: "glm-6"}, `unknown geometry "glm-6"; known: [tiny glm-5 glm-5.2 deepseek-v3.2`},
		{Options{Geometry: "tiny", Quant: "q9"}, `unknown quantisation recipe "q9"; known: [ud-q4_k_xl`},
		{Options{Geometry: "tiny", Quant: "iq2_xxs"}, `unknown quantisation recipe "iq2_xxs"`},
		{Options{Geometry: "tiny", Layers: -1}, "layers is -1"},
		{Options{Geometry: "deepseek-tiny", Experts: 3}, "3 experts do not divide into 2 groups"},
	} {
		if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%+v) = %v, want %q", tt.o, err, tt.want)
		}
	}
}
