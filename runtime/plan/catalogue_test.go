package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
)

// block is one fenced plan of docs/spec/alias-faults.md.
type block struct{ id, text string }

// catalogue returns all plan blocks of the fault catalogue.
func catalogue(t testing.TB) []block {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixture.Root(), "docs", "spec", "alias-faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	var bs []block
	for _, part := range strings.Split(string(data), "```plan\n")[1:] {
		text, _, ok := strings.Cut(part, "```")
		if !ok {
			t.Fatal("a plan block has no end")
		}
		head := strings.Fields(text)
		bs = append(bs, block{head[2], text})
	}
	return bs
}

func TestCatalogueParses(t *testing.T) {
	bs := catalogue(t)
	if got, want := len(bs), 89; got != want {
		t.Fatalf("catalogue has %d plans, want %d", got, want)
	}
	for _, b := range bs {
		t.Run(b.id, func(t *testing.T) {
			p, err := Parse(b.id, []byte(b.text))
			if err != nil {
				t.Fatal(err)
			}
			var ops, bufs int
			for _, l := range strings.Split(b.text, "\n") {
				if strings.HasPrefix(l, "op ") {
					ops++
				}
				if strings.HasPrefix(l, "buf ") {
					bufs++
				}
			}
			if len(p.Steps) != ops || len(p.Bufs) != bufs {
				t.Errorf("got %d ops and %d buffers, want %d and %d", len(p.Steps), len(p.Bufs), ops, bufs)
			}
			if len(p.Entries) != 1 || p.Entries[0].Rows != 1 || p.Entries[0].Name != 0 {
				t.Errorf("got entries %+v, want one nameless entry of 1 row", p.Entries)
			}
		})
	}
}
