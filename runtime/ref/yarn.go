package ref

import "math"

// yarn stretches rotary frequencies to a context of factor*origCtx positions ("NTK by parts",
// arXiv 2309.00071 section 3.2, in the form published with DeepSeek-V3: the ramp is linear in
// the pair's index). A pair that turns more than betaFast times over origCtx positions keeps
// its frequency, one that turns fewer than betaSlow times is slowed by factor, between them
// the two are blended. The attention factor of section 3.4 is the attribute mscale of op rope.
func yarn(freq []float64, base float64, dims int, factor, origCtx, betaFast, betaSlow float64) {
	// The (fractional) pair that makes exactly `turns` turns: solve
	// origCtx * base^(-2i/dims) = 2 pi turns for i.
	pair := func(turns float64) float64 {
		return float64(dims) * math.Log(origCtx/(turns*2*math.Pi)) / (2 * math.Log(base))
	}
	low := max(math.Floor(pair(betaFast)), 0)
	high := min(math.Ceil(pair(betaSlow)), float64(dims-1))
	width := max(high-low, 0.001) // the published form's guard against a ramp of no width
	for i, f := range freq {
		slowed := min(max((float64(i)-low)/width, 0), 1)
		freq[i] = float64(f*(1-slowed)) + float64(f/factor*slowed)
	}
}
