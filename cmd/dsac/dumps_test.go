package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/models/synth"
	"dsac/passes"
	"dsac/runtime/plan"
)

// Every dump of every pass and entry reads back as it was printed, and so does the plan, as
// text and as a file.
func TestEveryDumpReadsBack(t *testing.T) {
	header := filepath.Join(t.TempDir(), "glm52.gguf")
	if _, err := synth.Write(header, synth.Options{Geometry: "glm-5.2", HeaderOnly: true}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fixture.Path(t, "golden", "tiny", "q4_k_m.gguf"), header} {
		dumps := 0
		p := compileGolden(t, path, func(o *passes.Options) {
			o.Observe = func(pass string, u *passes.Unit) error {
				dumps++
				text := u.G.Text()
				g, err := ir.Parse(text, ops.Find)
				if err != nil {
					return fmt.Errorf("after %s: %w", pass, err)
				}
				if g.Text() != text {
					return fmt.Errorf("after %s: the text reads back as another one", pass)
				}
				return nil
			}
		})
		if want := len(p.Entries) * strings.Count(passes.Names(), ", "); dumps < want {
			t.Errorf("%d dumps, want at least %d", dumps, want)
		}
		text := p.Text()
		again, err := plan.Parse("plan", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if again.Text() != text {
			t.Error("the plan's text reads back as another one")
		}
		file, err := plan.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		other, err := plan.Encode(again)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file, other) {
			t.Error("a plan that went through its text makes another file")
		}
	}
}
