package bruteforce

import (
	"math"
	"testing"
)

var publicYarn = yarn{factor: 40, original: 4096, betaFast: 32, betaSlow: 1, logMultiplier: 0.1}

// DeepSeek-V3.2: pairs 0 to 10 keep their frequency, pairs from 23 on are slowed 40 times, the
// rotation has no gain, and scores are scaled by (1 + 0.1 ln 40)^2 / sqrt(192) (D 5).
func TestPublicYarn(t *testing.T) {
	c := &config{nope: 128, rope: 64, base: 1e4, yarn: publicYarn}
	r := newRotation(c)
	for i, f := range r.freq {
		ratio := f * math.Pow(1e4, float64(i)/32)
		switch {
		case i <= 10 && math.Abs(ratio-1) > 1e-12, i >= 23 && math.Abs(ratio*40-1) > 1e-12,
			i > 10 && i < 23 && math.Abs(ratio-(1-float64(i-10)/13*(39.0/40))) > 1e-12:
			t.Errorf("pair %d has %v of its frequency", i, ratio)
		}
	}
	if r.gain != 1 {
		t.Errorf("gain: got %v, want 1", r.gain)
	}
	if got, want := c.attentionScale(), 0.1352337788608801; math.Abs(got-want) > 1e-15 {
		t.Errorf("scale: got %v, want %v", got, want)
	}
}

// Both layouts turn each pair by the same angle and keep lengths.
func TestLayouts(t *testing.T) {
	r := newRotation(&config{rope: 8, base: 100, yarn: yarn{factor: 1}})
	pairs := []float64{1, 0, 2, 0, 3, 0, 4, 0}
	halves := []float64{1, 2, 3, 4, 0, 0, 0, 0}
	r.pairs(pairs, 3)
	r.halves(halves, 3)
	for i := range 4 {
		angle := 3 * math.Pow(100, -float64(i)/4)
		x, y := float64(i+1)*math.Cos(angle), float64(i+1)*math.Sin(angle)
		if math.Abs(pairs[2*i]-x) > 1e-12 || math.Abs(pairs[2*i+1]-y) > 1e-12 {
			t.Errorf("pairs: pair %d is (%v, %v), want (%v, %v)", i, pairs[2*i], pairs[2*i+1], x, y)
		}
		if math.Abs(halves[i]-x) > 1e-12 || math.Abs(halves[i+4]-y) > 1e-12 {
			t.Errorf("halves: pair %d is (%v, %v), want (%v, %v)", i, halves[i], halves[i+4], x, y)
		}
	}
}
