package kernels

import (
	"math"

	"dsac/codegen"
)

// frequencies returns the angle that each pair of a rotary embedding turns per position, in
// radians: base^(-2i/dims), stretched by YaRN ("NTK by parts", arXiv 2309.00071 section 3.2,
// with DeepSeek's ramp over the pair's index) when the op has a factor.
func frequencies(s *codegen.Spec) []float64 {
	dims, base := float64(s.Int("dims")), s.Float("base")
	freq := make([]float64, s.Int("dims")/2)
	for i := range freq {
		freq[i] = math.Pow(base, -2*float64(i)/dims)
	}
	factor := s.Float("factor")
	if factor == 1 {
		return freq
	}
	// The pair that makes this many turns over the context of pretraining.
	pair := func(turns float64) float64 {
		return dims * math.Log(float64(s.Int("orig_ctx"))/(turns*2*math.Pi)) / (2 * math.Log(base))
	}
	low := max(math.Floor(pair(s.Float("beta_fast"))), 0)
	high := min(math.Ceil(pair(s.Float("beta_slow"))), dims-1)
	if low == high {
		high += 0.001
	}
	for i, f := range freq {
		slowed := min(max((float64(i)-low)/(high-low), 0), 1)
		freq[i] = f*(1-slowed) + f/factor*slowed
	}
	return freq
}

// turns returns frequencies as fractions of a turn, times 2^64.
func turns(freq []float64) []uint64 {
	ts := make([]uint64, len(freq))
	for i, f := range freq {
		ts[i] = uint64(math.Mod(f/(2*math.Pi), 1) * (1 << 64))
	}
	return ts
}
