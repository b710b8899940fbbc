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

// Exponentials replaces scores by exp(score - top), rounded to float32, and returns top, the
// largest score, and the sum of what it wrote. Without scores top is minus infinity.
func Exponentials(scores []float64) (top, total float64) {
	top = math.Inf(-1)
	for _, s := range scores {
		top = max(top, s)
	}
	for i, s := range scores {
		scores[i] = float64(float32(math.Exp(s - top)))
		total += scores[i]
	}
	return top, total
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
