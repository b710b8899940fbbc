package gguf

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/quant"
)

// goldenFiles lists the golden set: tensors is the count over all shards, top the largest
// noise-to-signal ratio against the bf16 file of the same model (0: no such file).
var goldenFiles = []struct {
	dir, name string
	tensors   int
	noise     float64
}{
	{"tiny", "bf16.gguf", 67, 0}, {"tiny", "q8_0.gguf", 67, 4e-5}, {"tiny", "q6_k.gguf", 67, 5e-4},
	{"tiny", "q5_k_m.gguf", 67, 3e-3}, {"tiny", "q4_k_m.gguf", 67, 1e-2}, {"tiny", "q4_0.gguf", 67, 1.2e-2},
	{"tiny", "iq4_nl.gguf", 67, 1e-2}, {"tiny", "iq4_xs.gguf", 67, 1e-2}, {"tiny", "mxfp4_moe.gguf", 67, 2.5e-2},
	{"tiny", "q3_k_m.gguf", 67, 4e-2}, {"tiny", "q2_k.gguf", 67, 0.12},
	{"realdims", "q4_k_m.gguf", 67, 0}, {"realdims", "q8_0.gguf", 67, 0},
	{"shared", "q4_k_m.gguf", 0, 0}, {"shared", "q8_0.gguf", 0, 0},
	{"calm", "q4_k_m.gguf", 0, 0}, {"calm", "q8_0.gguf", 0, 0},
	{"edge", "q8_0.gguf", 0, 0}, {"edge", "public-00001-of-00003.gguf", 176, 0},
	{"edge", "public-00003-of-00003.gguf", 176, 0},
}

func TestGoldenFilesOpenAndDecode(t *testing.T) {
	for _, g := range goldenFiles {
		t.Run(g.dir+"/"+g.name, func(t *testing.T) {
			f, err := Open(fixture.Golden(t, g.dir, g.name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got := f.Arch(); got != "glm-dsa" {
				t.Errorf("arch %q", got)
			}
			if g.tensors != 0 && len(f.Tensors) != g.tensors {
				t.Errorf("%d tensors, want %d", len(f.Tensors), g.tensors)
			}
			var bf16 *File
			if g.noise != 0 {
				if bf16, err = Open(fixture.Golden(t, g.dir, "bf16.gguf")); err != nil {
					t.Fatal(err)
				}
				defer bf16.Close()
			}
			for i := range f.Tensors {
				tn := &f.Tensors[i]
				vals := decodeAll(t, f, tn)
				if bf16 == nil {
					continue
				}
				want := decodeAll(t, bf16, bf16.Tensor(tn.Name))
				if got := nmse(vals, want); got > g.noise {
					t.Errorf("%s (%s): noise %.2g of the bf16 values, want at most %.2g", tn.Name, tn.Type, got, g.noise)
				}
			}
		})
	}
}

func decodeAll(t *testing.T, f *File, tn *Tensor) []float32 {
	t.Helper()
	data, err := f.Data(tn)
	if err != nil {
		t.Fatal(err)
	}
	vals := make([]float32, tn.Elems())
	if err := tn.Type.Decode(vals, data); err != nil {
		t.Fatalf("%s: %v", tn.Name, err)
	}
	for i, v := range vals {
		if v != v || math.IsInf(float64(v), 0) {
			t.Fatalf("%s (%s): value %d is %v", tn.Name, tn.Type, i, v)
		}
	}
	return vals
}

func nmse(got, want []float32) float64 {
	var num, den float64
	for i := range want {
		d := float64(got[i]) - float64(want[i])
		num, den = num+d*d, den+float64(want[i])*float64(want[i])
	}
	if den == 0 {
		return num
	}
	return num / den
}

func TestCheckedInFixtureOpens(t *testing.T) {
	f, err := Open(fixture.Path(t, "golden", "tiny", "q4_k_m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, want := len(f.Tensors), 67; got != want {
		t.Errorf("%d tensors, want %d", got, want)
	}
	tokens, ok, err := f.Strings("tokenizer.ggml.tokens")
	if err != nil || !ok || tokens.Len() != 1024 || tokens.Slice()[1005] != "[gMASK]" {
		t.Errorf("%d tokens, %v; want 1024 with [gMASK] at 1005", tokens.Len(), err)
	}
	counts := map[quant.Type]int{}
	for i := range f.Tensors {
		counts[f.Tensors[i].Type]++
	}
	if counts[quant.Q4_K] == 0 || counts[quant.Q6_K] == 0 || counts[quant.F32] == 0 {
		t.Errorf("types %v, want a mix of q4_k, q6_k and f32", counts)
	}
}

func TestSplitGoldenHoldsTheSameModel(t *testing.T) {
	split, err := Open(fixture.Golden(t, "edge", "public-00002-of-00003.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer split.Close()
	whole, err := Open(fixture.Golden(t, "edge", "q8_0.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if got, want := filepath.Base(split.Path), "public-00001-of-00003.gguf"; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
	for i := range whole.Tensors {
		a := &whole.Tensors[i]
		b := split.Tensor(a.Name)
		if b == nil {
			t.Errorf("%s is missing from the split model", a.Name)
			continue
		}
		da, _ := whole.Data(a)
		db, _ := split.Data(b)
		if string(da) != string(db) && !strings.Contains(a.Name, "indexer.proj") {
			t.Errorf("%s differs", a.Name)
		}
	}
}
