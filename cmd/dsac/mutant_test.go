package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/models/synth"
	"dsac/runtime/host"
)

// mutantTol is what a planted error must move the logits by: 20 times what the comparison with
// the brute force allows.
const mutantTol = 1e-3

// mutants are errors that people have made with these models, each a change of a description.
// They show that the comparison with the brute force can fail, and that the models and prompts
// reach what they should.
var mutants = []struct {
	name          string
	geometry, dsl string
	seed          uint64
	old, new      string
	times         int // how often old is there
}{
	{"indexer rotated in pairs", "deepseek-tiny", "deepseek_v32", 1,
		`def halves(x) = rope(x, dims=P, base=base, style="half"`, `def halves(x) = rope(x, dims=P, base=base, style="interleaved"`, 1},
	{"attention rotated in halves", "deepseek-tiny", "deepseek_v32", 1, `style="interleaved"`, `style="half"`, 1},
	{"indexer rotated at the end of the head", "deepseek-tiny", "deepseek_v32", 1,
		`def halves(x) = rope(x, dims=P`, `def halves(x) = rope(x, off=ID-P, dims=P`, 1},
	{"no group mask", "deepseek-tiny", "deepseek_v32", 1, `if groups > 1 {`, `if groups > 99 {`, 1},
	{"all groups used", "deepseek-tiny", "deepseek_v32", 1, `used=groups_used`, `used=groups`, 1},
	{"biased weights of experts", "deepseek-tiny", "deepseek_v32", 1, `s = add_row(p, blk[l].router_b) `, `p = add_row(p, blk[l].router_b)
                s = p `, 1},
	{"YaRN factor ignored", "deepseek-tiny-yarn", "deepseek_v32", 3, `factor=factor`, `factor=1`, 2},
	{"YaRN limit of fast pairs ignored", "deepseek-tiny-yarn", "deepseek_v32", 3, `beta_fast=beta_fast`, `beta_fast=1000000`, 2},
	{"YaRN scale of scores ignored", "deepseek-tiny-yarn", "deepseek_v32", 3, `scale=all_dims * all_dims / sqrt(HD)`, `scale=1 / sqrt(HD)`, 1},
	{"YaRN scale of scores once", "deepseek-tiny-yarn", "deepseek_v32", 3, `scale=all_dims * all_dims / sqrt(HD)`, `scale=all_dims / sqrt(HD)`, 1},
	{"YaRN scale on the rotation", "deepseek-tiny-yarn", "deepseek_v32", 3, `(1 + 0.1 * log(factor)) / all_dims`, `(1 + 0.1 * log(factor))`, 1},
	{"glm rotated in halves", "tiny", "glm_dsa", 5, `style="interleaved"`, `style="half"`, 1},
	{"glm with every layer full", "tiny-shared", "glm_dsa", 6, `types != none ? types[l]`, `types != none ? true`, 1},
}

func TestMutantsDiffer(t *testing.T) {
	type model struct {
		path string
		ids  []int32
		want [][]float64
	}
	models := map[string]model{}
	for _, c := range mutants {
		m, ok := models[c.geometry]
		if !ok {
			m.path = writeSynth(t, synth.Options{Geometry: c.geometry, Quant: "q8_0", Seed: c.seed})
			b := openBrute(t, m.path)
			m.ids = prompt(c.seed, 23, b.Vocab())
			m.want = truth(t, b, m.ids).Logits
			models[c.geometry] = m
			// An unchanged copy agrees.
			if d := distance(describedLogits(t, m.path, description(t, c.dsl), m.ids), m.want); !(d <= goldenTol) {
				t.Fatalf("%s with %s.dsl: logits differ by %.3g, want at most %.0e", c.geometry, c.dsl, d, goldenTol)
			}
		}
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			text := description(t, c.dsl)
			if n := strings.Count(text, c.old); n != c.times {
				t.Fatalf("%s.dsl has %q %d times, want %d", c.dsl, c.old, n, c.times)
			}
			d := distance(describedLogits(t, m.path, strings.ReplaceAll(text, c.old, c.new), m.ids), m.want)
			t.Logf("logits differ by %.2g", d)
			if !(d > mutantTol) {
				t.Errorf("logits differ by %.3g, want more than %.0e: nothing tests this", d, mutantTol)
			}
		})
	}
}

// description returns the text of a built-in description.
func description(t *testing.T, dsl string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fixture.Root(), "models", dsl+".dsl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// describedLogits compiles path with a description of its own, as --model does, and returns the
// logits of ids.
func describedLogits(t *testing.T, path, description string, ids []int32) []float32 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "model.dsl")
	if err := os.WriteFile(file, []byte(description), 0o644); err != nil {
		t.Fatal(err)
	}
	b := &bench{session: loadPlan(t, compileSmall(t, path, file, nil), path, host.Options{})}
	return b.logits(t, ids, smallCtx, len(ids))
}
