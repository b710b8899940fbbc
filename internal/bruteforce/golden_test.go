package bruteforce

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dsac/internal/fixture"
)

// The brute force is itself held against the published reference before anything is held
// against it: logits and choices of prompts 0 to 2 of every kind of GLM model.
func TestReference(t *testing.T) {
	for _, dir := range []string{"tiny", "shared", "realdims", "edge"} {
		t.Run(dir, func(t *testing.T) {
			path := func(file string) string { return fixture.Golden(t, dir, file) }
			name := "q8_0"
			if dir == "tiny" { // the one that the repository carries
				name, path = "q4_k_m", func(file string) string { return fixture.Path(t, "golden", dir, file) }
			}
			m := open(t, path(name+".gguf"))
			ref := fixture.Safetensors(t, path(name+".golden.safetensors"))
			for k := range 3 {
				checkPrompt(t, m, ref, k)
			}
		})
	}
}

func open(t *testing.T, path string) *Model {
	t.Helper()
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func checkPrompt(t *testing.T, m *Model, ref map[string]fixture.Tensor, k int) {
	t.Helper()
	ids := ref[fmt.Sprintf("ids_%d", k)].I32
	got, err := m.Forward(ids)
	if err != nil {
		t.Fatal(err)
	}
	want := ref[fmt.Sprintf("logits_%d", k)]
	if len(ids) == 0 || len(want.F32) != len(ids)*m.Vocab() {
		t.Fatalf("prompt %d: the reference has %d logits for %d tokens", k, len(want.F32), len(ids))
	}
	worst := 0.0
	for i, w := range want.F32 {
		if d := math.Abs(got.Logits[i/m.Vocab()][i%m.Vocab()] - float64(w)); !(d <= worst) {
			worst = d
		}
	}
	t.Logf("prompt %d of %d tokens: logits within %.2g, narrowest choice %.2g", k, len(ids), worst, got.Gap)
	if !(worst <= 5e-5) {
		t.Errorf("prompt %d of %d tokens: logits differ by %.3g, want at most 5e-5", k, len(ids), worst)
	}
	for l, rows := range got.Chosen {
		lists, ok := ref[fmt.Sprintf("topk_%d_%d", k, l)]
		if !ok { // prompt 0, and layers that share
			continue
		}
		for row, g := range rows {
			w := slices.DeleteFunc(slices.Clone(lists.I32[row*lists.Shape[1]:][:lists.Shape[1]]), func(p int32) bool { return p < 0 })
			if !slices.EqualFunc(g, w, func(a int, b int32) bool { return a == int(b) }) {
				t.Errorf("prompt %d, layer %d, row %d: chosen %v, want %v", k, l, row, g, w)
			}
		}
	}
}
