package models

import (
	"math"
	"path/filepath"
	"testing"

	"dsac/internal/bruteforce"
	"dsac/ir"
	"dsac/models/synth"
	"dsac/runtime/gguf"
)

// The graph of DeepSeek-V3.2, run op by op with the references, gives the logits of the
// brute-force computation: two expert groups, half-split indexer rotation, without and with
// YaRN, more positions than the indexer chooses.
func TestDeepSeekNumbers(t *testing.T) {
	const tokens = 24
	for _, name := range []string{"deepseek-tiny", "deepseek-tiny-yarn"} {
		t.Run(name, func(t *testing.T) {
			m, err := synth.New(synth.Options{Geometry: name, Quant: "f32", Seed: 7, Layers: 2})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "m.gguf")
			if _, err := m.WriteFile(path); err != nil {
				t.Fatal(err)
			}
			f, err := gguf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			g, err := mustBind(t, FromGGUF(f), BindOptions{Ctx: tokens}).Graph("step")
			if err != nil {
				t.Fatal(err)
			}
			ids := make([]int32, tokens)
			for i := range ids {
				ids[i] = int32(i * 37 % 500)
			}
			in := &interpreter{t: t, file: f, dims: ir.Bind{T: tokens, R: tokens, C: tokens}}
			got := in.logits(g, ids)
			b, err := bruteforce.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			want, err := b.Forward(ids)
			if err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for i, row := range want.Logits {
				for j, want := range row {
					worst = math.Max(worst, math.Abs(float64(got[i*len(row)+j])-want))
				}
			}
			t.Logf("largest difference of a logit: %.1e", worst)
			if !(worst <= 5e-5) {
				t.Errorf("largest difference of a logit: %.1e, want at most 5e-5", worst)
			}
		})
	}
}
