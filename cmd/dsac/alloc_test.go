package main

import (
	"testing"

	"dsac/runtime/host"
	"dsac/runtime/sample"
)

// A step allocates nothing on the heap once warm, whatever the entry and the way in which
// tokens are drawn.
func TestStepsAllocateNothing(t *testing.T) {
	path := goldenPath(t, "tiny", "q4_k_m.gguf")
	s := loadPlan(t, compileGolden(t, path, nil), path, host.Options{})
	drawn := sample.Params{Temperature: 0.8, TopP: 0.9, TopK: 40, MinP: 0.01, Repeat: 1.1, Seed: 3}
	for _, tc := range []struct {
		name   string
		rows   int
		params sample.Params
	}{
		{"decode_greedy", 1, sample.Greedy()}, {"decode_drawn", 1, drawn}, {"draft", 7, drawn},
		{"prefill", 100, sample.Greedy()}, {"prefill_full", 128, drawn},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.dev.Reset()
			if err := s.dev.SetParams(tc.params); err != nil {
				t.Fatal(err)
			}
			e, err := s.dev.EntryFor(tc.rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			run := func() {
				for i := range tc.rows {
					s.dev.IDs()[i] = int32(i * 7 % 1000)
				}
				if err := s.dev.Run(e, tc.rows); err != nil {
					t.Fatal(err)
				}
			}
			run()
			// The count is that of the whole process, whose other goroutines may still be ending:
			// what a step allocates is there every time.
			got := testing.AllocsPerRun(3, run)
			for try := 0; try < 4 && got != 0; try++ {
				s.dev.Reset()
				got = min(got, testing.AllocsPerRun(3, run))
			}
			if got != 0 {
				t.Errorf("%.0f allocations per step, want none", got)
			}
		})
	}
}
