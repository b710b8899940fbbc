package models

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dsac/ir"
)

// Descriptions with a few tokens dropped, doubled, swapped or replaced get much further than
// the random texts of FuzzDSL: into binding and elaboration. None may
// panic, and what binds gives graphs that hold together.
func TestDamagedDescriptions(t *testing.T) {
	toks, err := newSource("toy.dsl", toyUsing).lex()
	if err != nil {
		t.Fatal(err)
	}
	words := make([]string, len(toks))
	for i, tok := range toks {
		words[i] = tok.Value
	}
	rounds, bound := 1500, 0
	if testing.Short() {
		rounds = 100
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		w := append([]string(nil), words...)
		for range 1 + r.IntN(3) {
			i, j := r.IntN(len(w)), r.IntN(len(w))
			switch r.IntN(4) {
			case 0:
				w[i] = ""
			case 1:
				w[i] += " " + w[i]
			case 2:
				w[i], w[j] = w[j], w[i]
			case 3:
				w[i] = w[j]
			}
		}
		text := strings.Join(w, "")
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("panic: %v\n%s", p, text)
				}
			}()
			b, err := bindToy(text, toyFile())
			if err != nil {
				if err.Error() == "" {
					t.Errorf("an error without text for\n%s", text)
				}
				return
			}
			bound++
			for _, name := range b.Entries() {
				g, err := b.Graph(name)
				if err == nil {
					err = ir.Verify(g)
				}
				if err != nil {
					t.Errorf("%v in the graph of\n%s", err, text)
				}
			}
		}()
	}
	t.Logf("%d of %d damaged descriptions still bind", bound, rounds)
}
