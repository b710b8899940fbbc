package main

import (
	"bytes"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/passes"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// Optional passes change speed and memory, not what is computed, beyond this.
const skipTol = 1e-5

func TestSkippingPassesKeepsLogits(t *testing.T) {
	ref := fixture.Safetensors(t, goldenPath(t, "tiny", "q4_k_m.golden.safetensors"))
	ids := ref["ids_2"].I32
	if len(ids) != 23 {
		t.Fatalf("prompt of %d tokens, want 23", len(ids))
	}
	path := goldenPath(t, "tiny", "q4_k_m.gguf")
	logits := func(skip ...string) []float32 {
		p := compileGolden(t, path, func(o *passes.Options) {
			o.Skip = make(map[string]bool)
			for _, s := range skip {
				o.Skip[s] = true
			}
		})
		b := &bench{session: loadPlan(t, p, path, host.Options{})}
		return append(b.logits(t, ids, 1024, len(ids)), b.logits(t, ids, 1, len(ids))...)
	}
	want := logits()
	var optional []string
	for _, p := range passes.Pipeline {
		if !p.Required {
			optional = append(optional, p.Name)
		}
	}
	if len(optional) == 0 {
		t.Fatal("no pass is optional")
	}
	sets := [][]string{optional}
	for _, name := range optional {
		sets = append(sets, []string{name})
	}
	for _, skip := range sets {
		t.Run(strings.Join(skip, "+"), func(t *testing.T) {
			if d := maxDiff(logits(skip...), want); !(d <= skipTol) {
				t.Errorf("logits differ by %.3g, want at most %.0e", d, skipTol)
			}
		})
	}
}

// The order in which independent nodes come has no influence on a plan.
func TestShuffledCompilesGiveTheSameBytes(t *testing.T) {
	tiny := goldenPath(t, "tiny", "q4_k_m.gguf")
	for _, tc := range []struct {
		name, path string
		compiles   uint64
	}{{"tiny", tiny, 5}, {"glm-5.2", header(t, "glm-5.2"), 2}} {
		t.Run(tc.name, func(t *testing.T) {
			encode := func(shuffle uint64) []byte {
				p := compileGolden(t, tc.path, func(o *passes.Options) { o.Shuffle, o.AllRows, o.Chunk = shuffle, false, 64 })
				data, err := plan.Encode(p)
				if err != nil {
					t.Fatal(err)
				}
				return data
			}
			want := encode(0)
			for seed := uint64(1); seed < tc.compiles; seed++ {
				if !bytes.Equal(encode(seed), want) {
					t.Errorf("shuffled with seed %d: another plan", seed)
				}
			}
		})
	}
}
