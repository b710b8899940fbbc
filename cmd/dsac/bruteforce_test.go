package main

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"dsac/internal/bruteforce"
	"dsac/models/synth"
	"dsac/passes"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// minGap is the narrowest choice that a model and prompt may hang on to be a fair test: the host
// keeps scores in float32, which moves them by about 1e-6.
const minGap = 1e-5

// promptLengths are those of the tests against the brute force: one row, less than the choice of
// eight positions, more, and more than a decode entry or a small prefill entry takes.
var promptLengths = []int{1, 5, 23, 40}

// bruteModels are synthetic models, with seeds for which no choice hangs on less than minGap.
var bruteModels = []synth.Options{
	{Geometry: "deepseek-tiny", Quant: "q8_0", Seed: 1},
	{Geometry: "deepseek-tiny", Quant: "q4_k_m", Seed: 2, MTP: synth.MTPWith},
	{Geometry: "deepseek-tiny-yarn", Quant: "q8_0", Seed: 3},
	{Geometry: "deepseek-tiny-yarn", Quant: "bf16", Seed: 4},
	{Geometry: "tiny", Quant: "q8_0", Seed: 5},
	{Geometry: "tiny-shared", Quant: "q8_0", Seed: 6},
}

// writeSynth writes a synthetic model into the test's folder.
func writeSynth(t testing.TB, o synth.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), o.Geometry+".gguf")
	if _, err := synth.Write(path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

// prompt draws n ids below vocab.
func prompt(seed uint64, n, vocab int) []int32 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = r.Int32N(int32(vocab))
	}
	return ids
}

func openBrute(t testing.TB, path string) *bruteforce.Model {
	t.Helper()
	m, err := bruteforce.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// truth runs the brute force and demands that the prompt is a fair test.
func truth(t testing.TB, m *bruteforce.Model, ids []int32) *bruteforce.Result {
	t.Helper()
	res, err := m.Forward(ids)
	if err != nil {
		t.Fatal(err)
	}
	if !(res.Gap >= minGap) {
		t.Fatalf("a choice of this prompt of %d tokens hangs on a gap of %.2g, want at least %.0e: take another seed", len(ids), res.Gap, minGap)
	}
	return res
}

// smallCtx holds the longest prompt of these tests.
const smallCtx = 64

// compileSmall compiles the model at path, by the description in the file dsl unless it is "".
func compileSmall(t testing.TB, path, dsl string, skip map[string]bool) *plan.Plan {
	t.Helper()
	m, err := openModel(path, dsl, smallCtx)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	p, err := m.compile(context.Background(), passes.Options{Target: "host", Ctx: smallCtx, Chunk: smallCtx, KV: "f32", AllRows: true, Version: "test", Skip: skip})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// distance is the largest difference of a logit.
func distance(got []float32, want [][]float64) float64 {
	worst := 0.0
	for t, row := range want {
		if len(got) != len(want)*len(row) {
			return math.Inf(1)
		}
		for i, w := range row {
			if d := math.Abs(float64(got[t*len(row)+i]) - w); !(d <= worst) {
				worst = d
			}
		}
	}
	return worst
}

// The compiled plan on the host gives the logits and the choices of the brute force.
func TestBruteForce(t *testing.T) {
	for _, o := range bruteModels {
		t.Run(o.Geometry+"/"+o.Quant, func(t *testing.T) {
			path := writeSynth(t, o)
			b := &bench{session: loadPlan(t, compileSmall(t, path, "", nil), path, host.Options{})}
			m := openBrute(t, path)
			for _, n := range promptLengths {
				ids := prompt(o.Seed, n, m.Vocab())
				want := truth(t, m, ids)
				chunks := []int{smallCtx}
				if n == 40 {
					chunks = []int{smallCtx, 7, 1}
				}
				for _, chunk := range chunks {
					d := distance(b.logits(t, ids, chunk, n), want.Logits)
					t.Logf("%d tokens in chunks of %d: logits within %.2g, narrowest choice %.2g", n, chunk, d, want.Gap)
					if !(d <= goldenTol) {
						t.Errorf("%d tokens in chunks of %d: logits differ by %.3g, want at most %.0e", n, chunk, d, goldenTol)
					}
				}
				if n == 23 {
					b.checkChosen(t, ids, want)
				}
			}
		})
	}
}

// checkChosen compares the positions that the layers with an indexer of their own chose.
func (b *bench) checkChosen(t *testing.T, ids []int32, want *bruteforce.Result) {
	t.Helper()
	compared := 0
	for layer, rows := range want.Chosen {
		got := b.list(t, ids, layer)
		if len(got) == 0 {
			continue // shares an earlier choice
		}
		compared++
		width := len(got) / len(ids)
		for row, w := range rows {
			g := sortedList(got[row*width:][:width])
			if !slices.EqualFunc(g, w, func(a int32, b int) bool { return int(a) == b }) {
				t.Errorf("%d tokens, layer %d, row %d: chosen %v, want %v", len(ids), layer, row, g, w)
			}
		}
	}
	if compared < 3 {
		t.Errorf("%d layers chose positions, want at least 3", compared)
	}
}

// The ops that only this architecture has keep to their buffers, and its numbers do not hang on
// optional passes or on what lies in scratch.
func TestDeepSeekOtherwise(t *testing.T) {
	path := writeSynth(t, synth.Options{Geometry: "deepseek-tiny-yarn", Quant: "q8_0", Seed: 3})
	skip := map[string]bool{}
	for _, p := range passes.Pipeline {
		if !p.Required {
			skip[p.Name] = true
		}
	}
	if len(skip) == 0 {
		t.Fatal("the pipeline has no optional pass")
	}
	m := openBrute(t, path)
	ids := prompt(3, 23, m.Vocab())
	want := truth(t, m, ids).Logits
	for _, c := range []struct {
		name string
		skip map[string]bool
		host host.Options
	}{
		{"without optional passes", skip, host.Options{}},
		{"poisoned scratch", nil, host.Options{Poison: true}},
		{"canaries", nil, host.Options{Canary: true}},
	} {
		b := &bench{session: loadPlan(t, compileSmall(t, path, "", c.skip), path, c.host)}
		if d := distance(b.logits(t, ids, smallCtx, len(ids)), want); !(d <= goldenTol) {
			t.Errorf("%s: logits differ by %.3g, want at most %.0e", c.name, d, goldenTol)
		}
	}
}
