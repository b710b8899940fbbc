package mutate

import (
	"testing"

	"dsac/passes/lint"
	"dsac/runtime/plan"
)

// loaded is a plan of the first of two ranks with a weight table: two layers of a norm and a
// matrix that the ranks share.
const loaded = `
plan tp=2
buf x I+0 128 dtype=f32 shape=1x32
buf blk.0.norm W+0 128 dtype=f32 shape=32
buf blk.0.proj W+256 64 dtype=f16 shape=2x16
buf blk.1.norm W+512 128 dtype=f32 shape=32
buf blk.1.proj W+768 64 dtype=f16 shape=2x16
weight blk.0.norm type=f32 dims=32 layout=gguf buf=blk.0.norm
weight blk.0.proj type=f16 dims=16x4 layout=rows axis=1 part=0:2 buf=blk.0.proj
weight blk.1.norm type=f32 dims=32 layout=gguf buf=blk.1.norm
weight blk.1.proj type=f16 dims=16x4 layout=rows axis=1 part=0:2 buf=blk.1.proj
entry step rows=1
buf a A+0 128 dtype=f32 shape=1x32
buf y O+0 128 dtype=f32 shape=1x32
op first r=x,blk.0.norm,blk.0.proj w=a
op second r=a<first>,blk.1.norm,blk.1.proj w=y
`

// TestTableOperators: each finds a place, the lint reports all its mutants, and the tags, which
// know nothing of the lint, see that each changes results.
func TestTableOperators(t *testing.T) {
	p, err := plan.Parse("loaded", []byte(loaded))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range tableOperators {
		names = append(names, o.Name)
	}
	const n = 100
	for _, c := range []struct {
		name             string
		lint             lint.Options
		reported, missed int
	}{
		{"the lint", lint.Options{}, n, 0},
		{"no rule", lint.Options{Only: []string{"none"}}, 0, n},
	} {
		table, err := Campaign([]Subject{{Name: "loaded", Plan: p}}, Options{Mutants: n, Seed: 1, Judge: true, Only: names, Lint: c.lint})
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Sum(); got.Reported != c.reported || got.Missed != c.missed || got.NeedlessReports > 0 {
			t.Errorf("%s: got %d reported, %d missed, %d reported without need, want %d, %d, 0\n%s", c.name, got.Reported, got.Missed, got.NeedlessReports, c.reported, c.missed, table)
		}
		for _, r := range table.Rows {
			if r.Mutants < n/len(names)/2 {
				t.Errorf("%s: operator %s found %d places, want at least %d", c.name, r.Operator, r.Mutants, n/len(names)/2)
			}
		}
	}
}
