package synth

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dsac/runtime/gguf"
)

// open writes a model to a fresh folder and opens it.
func open(t testing.TB, o Options) *gguf.File {
	t.Helper()
	names, err := Write(filepath.Join(t.TempDir(), "m.gguf"), o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := gguf.OpenHeader(names[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func data(t testing.TB, f *gguf.File, name string) []byte {
	t.Helper()
	tn := f.Tensor(name)
	if tn == nil {
		t.Fatalf("%s has no tensor %q", f.Path, name)
	}
	b, err := f.Data(tn)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestValuesDependOnSeedAndNameOnly(t *testing.T) {
	base := open(t, Options{Geometry: "tiny", Quant: "q4_k_m"})
	same := open(t, Options{Geometry: "tiny", Quant: "q4_k_m"})
	a, _ := os.ReadFile(base.Path)
	b, _ := os.ReadFile(same.Path)
	if !bytes.Equal(a, b) {
		t.Error("the same options gave two different files")
	}
	split := open(t, Options{Geometry: "tiny", Quant: "q4_k_m", Shards: 4})
	if got := split.Tensors[0].Shard; len(split.Shards) != 4 || got != 1 {
		t.Errorf("%d shards, first tensor in %d; want 4 and 1", len(split.Shards), got)
	}
	deeper := open(t, Options{Geometry: "tiny", Quant: "q4_k_m", Layers: 5, Context: 99})
	seeded := open(t, Options{Geometry: "tiny", Quant: "q4_k_m", Seed: 1})
	for _, tn := range base.Tensors {
		want := data(t, base, tn.Name)
		if !bytes.Equal(data(t, split, tn.Name), want) {
			t.Errorf("%s differs in the split file", tn.Name)
		}
		if d := data(t, deeper, tn.Name); !strings.HasPrefix(tn.Name, "blk.2.ffn_down") && !bytes.Equal(d, want) {
			t.Errorf("%s differs in a model of more layers", tn.Name)
		}
		if bytes.Equal(data(t, seeded, tn.Name), want) {
			t.Errorf("%s does not depend on the seed", tn.Name)
		}
	}
}

func TestSharedLayersHoldCopies(t *testing.T) {
	f := open(t, Options{Geometry: "tiny-shared"})
	for layer, from := range map[string]string{"3": "2", "5": "4", "6": "4"} {
		for _, s := range []string{"attn_k.weight", "attn_q_b.weight", "k_norm.bias", "k_norm.weight", "proj.weight"} {
			got, want := data(t, f, "blk."+layer+".indexer."+s), data(t, f, "blk."+from+".indexer."+s)
			if !bytes.Equal(got, want) {
				t.Errorf("indexer.%s of layer %s is no copy of layer %s", s, layer, from)
			}
		}
		if bytes.Equal(data(t, f, "blk."+layer+".attn_q_a.weight"), data(t, f, "blk."+from+".attn_q_a.weight")) {
			t.Errorf("attn_q_a of layer %s is a copy of layer %s", layer, from)
		}
	}
	official := open(t, Options{Geometry: "tiny-shared", Official: true})
	if official.Tensor("blk.3.indexer.attn_k.weight") != nil {
		t.Error("the official form has an indexer on layer 3")
	}
	types, ok, err := official.Bools("glm-dsa.attention.indexer.types")
	if err != nil || !ok || len(types) != 7 || !types[4] || types[5] {
		t.Errorf("types %v, %v", types, err)
	}
}

func TestIndexerTypesKey(t *testing.T) {
	const key = "glm-dsa.attention.indexer.types"
	for _, tt := range []struct {
		o    Options
		full int // -1: no key
	}{
		{Options{Geometry: "glm-5.2"}, -1},
		{Options{Geometry: "glm-5"}, -1},
		{Options{Geometry: "glm-5.2", Official: true}, 21},
		{Options{Geometry: "glm-5.2", Context: 4096}, 21}, // or all layers would count as full
	} {
		tt.o.NoVocab, tt.o.HeaderOnly = true, true
		types, ok, err := open(t, tt.o).Bools(key)
		full := 0
		for _, f := range types {
			if f {
				full++
			}
		}
		if !ok {
			full = -1
		}
		if err != nil || full != tt.full || ok && len(types) != 78 {
			t.Errorf("%+v: %d full layers of %d, %v; want %d", tt.o, full, len(types), err, tt.full)
		}
	}
}

func TestValuesAreOfSaneScale(t *testing.T) {
	f := open(t, Options{Geometry: "tiny", Quant: "q4_k_m"})
	for name, want := range map[string]struct{ mean, std float64 }{
		"token_embd.weight":          {0, 1},
		"output.weight":              {0, 1.0 / 16},
		"blk.0.attn_k_b.weight":      {0, 1.0 / 16}, // fan-in is kv_lora_rank, 256
		"blk.0.attn_output.weight":   {0, 0.5 / 16},
		"blk.1.ffn_gate_exps.weight": {0, 1.0 / 16},
		"blk.1.attn_norm.weight":     {1, 0.1},
		"blk.1.indexer.k_norm.bias":  {0, 0.05},
	} {
		tn := f.Tensor(name)
		vals := make([]float32, tn.Elems())
		if err := tn.Type.Decode(vals, data(t, f, name)); err != nil {
			t.Fatal(err)
		}
		sum, sq := 0.0, 0.0
		for _, v := range vals {
			sum, sq = sum+float64(v), sq+float64(v)*float64(v)
		}
		n := float64(len(vals))
		mean, std := sum/n, math.Sqrt(sq/n-sum/n*sum/n)
		if math.Abs(mean-want.mean) > 0.3*want.std || std < 0.8*want.std || std > 1.25*want.std {
			t.Errorf("%s: mean %.4f, standard deviation %.4f; want %v", name, mean, std, want)
		}
	}
}

func TestYarnKeys(t *testing.T) {
	f := open(t, Options{Geometry: "deepseek-v3.2", NoVocab: true, HeaderOnly: true})
	for key, want := range map[string]string{
		"general.architecture":                            `"deepseek32"`,
		"deepseek32.rope.scaling.type":                    `"yarn"`,
		"deepseek32.rope.scaling.factor":                  "40",
		"deepseek32.rope.scaling.original_context_length": "4096",
		"deepseek32.rope.scaling.yarn_log_multiplier":     "0.1",
		"deepseek32.block_count":                          "62",
		"deepseek32.nextn_predict_layers":                 "1",
		"deepseek32.expert_group_count":                   "8",
		"deepseek32.expert_group_used_count":              "4",
		"deepseek32.attention.key_length_mla":             "192",
	} {
		if k := f.Key(key); k == nil || k.Text(1) != want {
			t.Errorf("%s is %v, want %s", key, k, want)
		}
	}
	plain := open(t, Options{Geometry: "deepseek-tiny", HeaderOnly: true})
	if plain.Key("deepseek32.rope.scaling.type") != nil {
		t.Error("deepseek-tiny has rope scaling")
	}
}

func TestProgressEndsAtTheTotal(t *testing.T) {
	var done, total uint64
	m, err := New(Options{Geometry: "tiny", NoVocab: true, Progress: func(d, n uint64) {
		if d < done {
			t.Errorf("progress went from %d back to %d", done, d)
		}
		done, total = d, n
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.WriteFile(filepath.Join(t.TempDir(), "m.gguf")); err != nil {
		t.Fatal(err)
	}
	if done != total || total != m.DataBytes() {
		t.Errorf("progress ended at %d of %d, want %d", done, total, m.DataBytes())
	}
}

func TestCancelLeavesNothingBehind(t *testing.T) {
	dir, stop := t.TempDir(), make(chan struct{})
	_, err := Write(filepath.Join(dir, "m.gguf"), Options{
		Geometry: "tiny", NoVocab: true, Shards: 3, Cancel: stop,
		Progress: func(done, total uint64) {
			if done > total/2 {
				select {
				case <-stop:
				default:
					close(stop)
				}
			}
		},
	})
	if !errors.Is(err, ErrCanceled) {
		t.Errorf("got %v, want ErrCanceled", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v behind", left)
	}
}

// The times are three times what a slow machine needs.
func TestFullHeaderIsQuick(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	start := time.Now()
	if _, err := Write(path, Options{Geometry: "glm-5.2", HeaderOnly: true}); err != nil {
		t.Fatal(err)
	}
	wrote := time.Now()
	f, err := gguf.OpenHeader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if d := wrote.Sub(start); d > 6*time.Second {
		t.Errorf("writing took %v, want at most 6 s", d)
	}
	if d := time.Since(wrote); d > 150*time.Millisecond {
		t.Errorf("opening took %v, want at most 150 ms", d)
	}
	if got, want := len(f.Tensors), 1809; got != want || f.HasData {
		t.Errorf("%d tensors, HasData %v; want %d and false", got, f.HasData, want)
	}
	for key, want := range map[string]int{"tokenizer.ggml.tokens": 154880, "tokenizer.ggml.merges": 321649} {
		if s, _, err := f.Strings(key); err != nil || s.Len() != want {
			t.Errorf("%s has %d entries, %v; want %d", key, s.Len(), err, want)
		}
	}
}

func BenchmarkFullHeader(b *testing.B) {
	path := filepath.Join(b.TempDir(), "m.gguf")
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			if _, err := Write(path, Options{Geometry: "glm-5.2", HeaderOnly: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			f, err := gguf.OpenHeader(path)
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}

func BenchmarkFill(b *testing.B) {
	m, err := New(Options{Geometry: "glm-5", Quant: "slice", Layers: 5, NoVocab: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"blk.0.attn_q_b.weight", "blk.0.ffn_down.weight", "blk.0.attn_v_b.weight"} {
		for _, tn := range m.Tensors() {
			if tn.Name != name {
				continue
			}
			b.Run(tn.Type.String(), func(b *testing.B) {
				b.SetBytes(int64(tn.Size))
				discard := writerFunc(func(p []byte) (int, error) { return len(p), nil })
				for b.Loop() {
					if err := fill(m.specs[name], &tn, 1, discard); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
