package ref

import "math"

// Softmax replaces scores by exp(score - max) / sum, computed in float64, summed in index
// order, and rounded to float32: like all values that ops multiply.
func Softmax(scores []float64) {
	top := math.Inf(-1)
	for _, s := range scores {
		top = max(top, s)
	}
	var sum float64
	for i, s := range scores {
		e := math.Exp(s - top)
		scores[i] = e
		sum += e
	}
	for i := range scores {
		scores[i] = float64(float32(scores[i] / sum))
	}
}

// Visible returns how many entries of a selection list are in use: it ends at the first -1.
func Visible(sel []int32) int {
	for i, s := range sel {
		if s < 0 {
			return i
		}
	}
	return len(sel)
}
