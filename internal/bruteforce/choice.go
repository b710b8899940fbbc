package bruteforce

import (
	"math"
	"slices"
	"sort"
)

// best returns the indices of the n largest scores in ascending order, ties to the lower index,
// and the gap between the last score taken and the first one left: infinite when none is left
// or when the two are equal, because then the rule of ties decides and not rounding.
func best(scores []float64, n int) (chosen []int, gap float64) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
	gap = math.Inf(1)
	if n < len(order) {
		if d := scores[order[n-1]] - scores[order[n]]; d > 0 {
			gap = d
		}
		order = order[:n]
	}
	slices.Sort(order)
	return order, gap
}
