package check

import (
	"math"
	"strings"
	"testing"
)

func TestSwaps(t *testing.T) {
	inf := float32(math.Inf(-1))
	scores := []float32{5, 4, 3.5, 3.25, 1, inf}
	for _, c := range []struct {
		name      string
		got, want []int32
		n         int
		gap       float64
		bad       string
	}{
		{"equal", []int32{0, 1, 2}, []int32{0, 1, 2}, 0, math.Inf(-1), ""},
		{"a close one", []int32{0, 1, 3}, []int32{0, 1, 2}, 1, 0.25, ""},
		{"two", []int32{0, 3, 4}, []int32{0, 1, 2}, 2, 3, ""},
		{"one that is out", []int32{0, 1, 5}, []int32{0, 1, 2}, 1, math.Inf(1), ""},
		{"shorter", []int32{0, 1, -1}, []int32{0, 1, 2}, 0, 0, "1 elements are missing, 0 are too many"},
		{"longer", []int32{0, 1, 2}, []int32{0, 1, -1}, 0, 0, "0 elements are missing, 1 are too many"},
		{"past the end", []int32{0, 1, 6}, []int32{0, 1, 2}, 0, 0, "element 2 is 6, of 6 that may be chosen"},
		{"negative", []int32{-2, 1, 2}, []int32{0, 1, 2}, 0, 0, "element 0 is -2"},
		{"twice", []int32{0, 1, 1}, []int32{0, 1, 2}, 0, 0, "element 2 is 1 after 1"},
		{"in another order", []int32{1, 0, 2}, []int32{0, 1, 2}, 0, 0, "element 1 is 0 after 1"},
		{"a hole", []int32{0, -1, 1}, []int32{0, 1, -1}, 0, 0, "element 2 is 1 after -1"},
	} {
		n, gap, bad := swaps(c.got, c.want, scores)
		if c.bad != "" {
			if !strings.Contains(bad, c.bad) {
				t.Errorf("%s: got %q, want %q", c.name, bad, c.bad)
			}
			continue
		}
		if n != c.n || c.n > 0 && gap != c.gap || bad != "" {
			t.Errorf("%s: got %d swaps, gap %g, %q; want %d, %g", c.name, n, gap, bad, c.n, c.gap)
		}
	}
}

// TestCloseSwapIsNoDifference lets a device choose other positions: with a tolerance of the
// scores that large, it may.
func TestCloseSwapIsNoDifference(t *testing.T) {
	b := newBench(t, "f32")
	b.dev.spoil = firstOf("index_topk", func(s *Step) {
		q := output(s)
		others(s.bytes(q)[10*q.Size/16:][:q.Size/16], 11)
	})
	r := b.runTol(t, func(op string) (float64, float64) {
		if op == "index_scores" {
			return 1e6, 0
		}
		return ofTable(op)
	})
	swaps := 0
	for _, o := range r.Ops {
		swaps += o.Swaps
	}
	if !r.Clean() || swaps != 3 {
		t.Errorf("%d swaps, want the 3 positions of 11 that a list of 8 lacks; findings %v", swaps, r.Findings)
	}
}
