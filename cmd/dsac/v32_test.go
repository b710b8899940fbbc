package main

import (
	"fmt"
	"testing"
	"time"

	"dsac/models/synth"
	"dsac/passes"
	"dsac/passes/lint"
	"dsac/runtime/plan"
)

// The header of the full DeepSeek-V3.2, without a byte of weights, compiles for its whole
// context, for one rank and for eight; the plans verify and lint clean.
func TestDeepSeekV32Header(t *testing.T) {
	path := writeSynth(t, synth.Options{Geometry: "deepseek-v3.2", HeaderOnly: true})
	m, err := openModel(path, "", 163840)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	// docs/spec/deepseek-v32.md section 3.
	if got, want := len(m.file.Tensors), 1418; got != want {
		t.Errorf("the file has %d tensors, want %d", got, want)
	}
	for _, ranks := range []int{1, 8} {
		t.Run(fmt.Sprintf("%d ranks", ranks), func(t *testing.T) {
			start := time.Now()
			p, err := m.compile(t.Context(), passes.Options{Target: "host", Ctx: m.ctx, Chunk: 512, KV: "f32", TP: ranks, Version: "test"})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("compiled in %.2f s: %d entries, %d steps", time.Since(start).Seconds(), len(p.Entries), len(p.Steps))
			checkV32Plan(t, p)
		})
	}
}

func checkV32Plan(t *testing.T, p *plan.Plan) {
	t.Helper()
	if err := plan.Verify(p); err != nil {
		t.Error(err)
	}
	opt, err := passes.LintOptions(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range lint.Run(p, opt) { // warnings too
		t.Errorf("%s %s: %s", f.Code, f.Entry, f.Summary)
	}
	// Section 1: on each of 61 layers, and not on the MTP layer, a position keeps a latent row of
	// 512 + 64 values and an indexer key of 128.
	mem := plan.Report(p)
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"latent cache", mem.Latent.Bytes, 61 * (512 + 64) * 4 * 163840},
		{"indexer cache", mem.Indexer.Bytes, 61 * 128 * 4 * 163840},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, c.got, c.want)
		}
	}
}
