package bruteforce

import "math"

// rotation gives the angle of every pair of every position.
type rotation struct {
	freq []float64 // radians per position, one per pair
	gain float64   // on cosine and sine
}

// newRotation: plain RoPE (G 2.0), stretched by YaRN (D 5) when the factor is not 1.
//
// The YaRN paper (arXiv 2309.00071, section 3.2) classes a pair by the turns
// r = n0 f / 2 pi that it makes over the original context n0: above betaFast it is left alone,
// below betaSlow it is slowed by the factor. DeepSeek's published rotary embedding and all that
// follow it (the yarn_find_correction_range family of functions) place the two limits on the
// scale of the pair's index instead, rounded outwards, and blend linearly in the index.
func newRotation(c *config) rotation {
	pairs := c.rope / 2
	r := rotation{freq: make([]float64, pairs), gain: 1}
	for i := range r.freq {
		r.freq[i] = 1 / math.Pow(c.base, float64(2*i)/float64(c.rope))
	}
	y := c.yarn
	if y.factor == 1 {
		return r
	}
	// The index at which a pair makes that many turns over the original context.
	index := func(turns float64) float64 {
		return float64(c.rope) / 2 * math.Log(y.original/(2*math.Pi*turns)) / math.Log(c.base)
	}
	first := max(0, math.Floor(index(y.betaFast)))
	last := min(float64(c.rope-1), math.Ceil(index(y.betaSlow)))
	for i, f := range r.freq {
		kept := 1 - min(1, max(0, (float64(i)-first)/max(last-first, 0.001)))
		r.freq[i] = kept*f + (1-kept)*f/y.factor
	}
	r.gain = attentionFactor(y.factor, 1) / attentionFactor(y.factor, y.logMultiplier/0.1)
	return r
}

// attentionFactor is 0.1 mscale ln(factor) + 1: equation 22 of the paper with mscale 1; the
// weighted form is DeepSeek's yarn_get_mscale (D 5).
func attentionFactor(factor, mscale float64) float64 {
	if factor <= 1 {
		return 1
	}
	return 0.1*mscale*math.Log(factor) + 1
}

// attentionScale is the factor on scores of the attention: 1/sqrt(nope+rope), times the square
// of the attention factor for all dimensions (D 4.4, D 5).
func (c *config) attentionScale() float64 {
	m := attentionFactor(c.yarn.factor, c.yarn.logMultiplier/0.1)
	return m * m / math.Sqrt(float64(c.nope+c.rope))
}

// pairs turns (x[2i], x[2i+1]) in place.
func (r rotation) pairs(x []float64, pos int) {
	for i, f := range r.freq {
		x[2*i], x[2*i+1] = r.turn(x[2*i], x[2*i+1], float64(pos)*f)
	}
}

// halves turns (x[i], x[i+n]) in place, where n is the number of pairs.
func (r rotation) halves(x []float64, pos int) {
	n := len(r.freq)
	for i, f := range r.freq {
		x[i], x[i+n] = r.turn(x[i], x[i+n], float64(pos)*f)
	}
}

func (r rotation) turn(x, y, angle float64) (float64, float64) {
	sin, cos := math.Sincos(angle)
	return r.gain * (x*cos - y*sin), r.gain * (x*sin + y*cos)
}
