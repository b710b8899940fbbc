package bruteforce

import (
	"math"
	"slices"
	"testing"
)

func TestBest(t *testing.T) {
	for _, c := range []struct {
		name   string
		scores []float64
		n      int
		want   []int
		gap    float64
	}{
		{"ascending order", []float64{1, 4, 2, 8}, 2, []int{1, 3}, 2},
		{"all of them", []float64{1, 4}, 8, []int{0, 1}, noGap},
		{"a tie at the edge goes to the lower index", []float64{0, 5, 0, 0}, 2, []int{0, 1}, noGap},
		{"masked scores leave an endless gap", []float64{math.Inf(-1), 1}, 1, []int{1}, noGap},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, gap := best(c.scores, c.n)
			if !slices.Equal(got, c.want) || gap != c.gap {
				t.Errorf("got %v with a gap of %v, want %v and %v", got, gap, c.want, c.gap)
			}
		})
	}
}

// A group is worth its two best scores, whatever the third (D 4.3): the first group has the
// best single score and the largest sum, the second the best pair.
func TestKeepGroups(t *testing.T) {
	scores := []float64{9, 1, 1, 1, 6, 5, -9, -9}
	gap := keepGroups(scores, 2, 1)
	off := math.Inf(-1)
	if want := []float64{off, off, off, off, 6, 5, -9, -9}; !slices.Equal(scores, want) {
		t.Errorf("got %v, want %v", scores, want)
	}
	if gap != 1 {
		t.Errorf("gap: got %v, want 1", gap)
	}
}
