package lint

import (
	"slices"
	"strings"
	"testing"

	"dsac/docs/spec"
	"dsac/runtime/plan"
)

// block is one fenced plan of the catalogue with the codes that it must give.
type block struct {
	id, text string
	want     []string
}

func blocks(t testing.TB) []block {
	t.Helper()
	var bs []block
	for _, part := range strings.Split(spec.AliasFaults, "```plan\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		f := strings.Fields(text) // # id: X expect: CODE+CODE
		b := block{id: f[2], text: text}
		if f[4] != "none" {
			b.want = strings.Split(f[4], "+")
		}
		bs = append(bs, b)
	}
	return bs
}

func codesOf(fs []Finding) []string {
	var cs []string
	for _, f := range fs {
		if !slices.Contains(cs, f.Code) {
			cs = append(cs, f.Code)
		}
	}
	slices.Sort(cs)
	return cs
}

func TestCatalogue(t *testing.T) {
	bs := blocks(t)
	if got, want := len(bs), 89; got != want {
		t.Fatalf("catalogue has %d plans, want %d", got, want)
	}
	for _, b := range bs {
		t.Run(b.id, func(t *testing.T) {
			p, err := plan.Parse(b.id, []byte(b.text))
			if err != nil {
				t.Fatal(err)
			}
			fs := Run(p, Options{})
			if got := codesOf(fs); !slices.Equal(got, b.want) {
				t.Errorf("got %v, want %v", got, b.want)
				for _, f := range fs {
					t.Log(f.Code, f.Summary, f.Bytes)
				}
			}
		})
	}
}
