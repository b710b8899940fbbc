package models

import (
	"path/filepath"
	"testing"

	"dsac/ir"
	"dsac/models/synth"
	"dsac/runtime/gguf"
)

// Every geometry that synth writes binds to the built-in description of its architecture.
func TestSynthHeadersElaborate(t *testing.T) {
	for _, c := range []struct {
		opts  synth.Options
		nodes int
	}{
		{synth.Options{Geometry: "tiny"}, 0},
		{synth.Options{Geometry: "glm-5"}, 0},
		{synth.Options{Geometry: "glm-5.2"}, 0},
		{synth.Options{Geometry: "glm-5.2", Official: true}, 0},
		{synth.Options{Geometry: "deepseek-v3.2"}, 0},
		{synth.Options{Geometry: "deepseek-tiny"}, 0},
		{synth.Options{Geometry: "deepseek-tiny-yarn"}, 0},
	} {
		t.Run(c.opts.Geometry, func(t *testing.T) {
			c.opts.HeaderOnly, c.opts.NoVocab = true, true
			m, err := synth.New(c.opts)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "m.gguf")
			if _, err := m.WriteFile(path); err != nil {
				t.Fatal(err)
			}
			f, err := gguf.OpenHeader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			b := mustBind(t, FromGGUF(f), BindOptions{})
			g, err := b.Graph("step")
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Verify(g); err != nil {
				t.Error(err)
			}
			t.Log(len(g.Nodes), len(b.Weights))
		})
	}
}
