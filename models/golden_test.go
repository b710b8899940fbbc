package models

import (
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/gguf"
)

func bindFile(t testing.TB, path string, opt BindOptions) *Bound {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return mustBind(t, FromGGUF(f), opt)
}

func TestGoldenFilesElaborate(t *testing.T) {
	for _, c := range []struct {
		model, file  string
		layers, full int
	}{
		{"tiny", "q8_0.gguf", 3, 3},
		{"realdims", "q8_0.gguf", 3, 3},
		{"shared", "q8_0.gguf", 7, 4},
		{"calm", "q8_0.gguf", 4, 3},
		{"edge", "q8_0.gguf", 7, 4},
		{"edge", "public-00001-of-00003.gguf", 7, 4},
	} {
		t.Run(c.model+"/"+c.file, func(t *testing.T) {
			b := bindFile(t, fixture.Golden(t, c.model, c.file), BindOptions{Ctx: 512})
			g, err := b.Graph("step")
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Verify(g); err != nil {
				t.Error(err)
			}
			text := g.Text()
			if back, err := ir.Parse(text, ops.Find); err != nil {
				t.Errorf("the graph's text does not parse: %v", err)
			} else if back.Text() != text {
				t.Error("the graph's text changes when it is parsed and printed")
			}
			if v, _ := b.Param("L"); v != int64(c.layers) {
				t.Errorf("layers: got %v, want %d", v, c.layers)
			}
			keys := 0
			for _, s := range b.States {
				if strings.HasPrefix(s.Name, "ikey.") {
					keys++
				}
			}
			if keys != c.full {
				t.Errorf("indexer caches: got %d, want %d", keys, c.full)
			}
			t.Logf("%d nodes, %d weights, vocabulary %d", len(g.Nodes), len(b.Weights), b.Vocab())
		})
	}
}
