package ref

import (
	"math"
	"testing"
)

func stretched(dims int, base, factor, origCtx, betaFast, betaSlow float64) []float64 {
	freq := make([]float64, dims/2)
	for i := range freq {
		freq[i] = math.Pow(base, -2*float64(i)/float64(dims))
	}
	yarn(freq, base, dims, factor, origCtx, betaFast, betaSlow)
	return freq
}

// The frequencies of DeepSeek-V3.2 (docs/spec/deepseek-v32.md section 5: pairs 0 to 10 keep
// theirs, pairs from 23 on are slowed 40 times), worked out apart from this package.
func TestYarnOfDeepSeekV32(t *testing.T) {
	got := stretched(64, 10000, 40, 4096, 32, 1)
	for pair, want := range map[int]float64{
		0: 1, 1: 0.7498942093324559, 4: 0.31622776601683794, 10: 0.05623413251903491,
		11: 0.03900692656714386, 16: 0.0055, 17: 0.003561997494329165, 22: 0.0001778279410038922,
		23: 3.33380358040831e-05, 24: 2.5e-05, 31: 3.3338035804083097e-06,
	} {
		if math.Abs(got[pair]/want-1) > 1e-12 {
			t.Errorf("pair %d: got %v, want %v", pair, got[pair], want)
		}
	}
}

// What any stretch does: each pair ends between its own frequency and that divided by the
// factor, and the ratio never grows with the pair; turns counted in full decide at the limits.
func TestYarnKeepsFastPairsAndSlowsSlowOnes(t *testing.T) {
	for _, c := range []struct{ dims, base, factor, origCtx, fast, slow float64 }{
		{64, 1e4, 40, 4096, 32, 1}, {32, 1e4, 8, 512, 32, 1}, {64, 1e6, 4, 32768, 32, 1},
		{16, 100, 2, 64, 2, 1}, {64, 5e4, 32, 4096, 1, 1}, {128, 1e4, 16, 100, 32, 1},
	} {
		got := stretched(int(c.dims), c.base, c.factor, c.origCtx, c.fast, c.slow)
		last := 1.0
		for i, f := range got {
			plain := math.Pow(c.base, -2*float64(i)/c.dims)
			ratio := f / plain
			if !(ratio <= last+1e-12) || ratio < 1/c.factor-1e-12 {
				t.Errorf("%+v: pair %d is slowed %v times, the one before %v", c, i, 1/ratio, 1/last)
			}
			last = ratio
			// A pair one index or more inside a limit is on its side of the ramp.
			turns := func(i float64) float64 { return c.origCtx / (2 * math.Pi) * math.Pow(c.base, -2*i/c.dims) }
			if turns(float64(i)+1) > c.fast && math.Abs(ratio-1) > 1e-12 {
				t.Errorf("%+v: pair %d turns %.1f times and is slowed", c, i, turns(float64(i)))
			}
			if turns(float64(i)-1) < c.slow && i > 0 && math.Abs(ratio*c.factor-1) > 1e-12 {
				t.Errorf("%+v: pair %d turns %.2f times and is not slowed in full", c, i, turns(float64(i)))
			}
		}
	}
}

// Limits that cross (an original context of a few positions, or beta_fast below beta_slow) once
// turned the ramp round.
func TestYarnLimitsThatCross(t *testing.T) {
	for _, c := range []struct{ origCtx, fast, slow float64 }{{3, 32, 1}, {4096, 1, 32}} {
		for i, f := range stretched(64, 1e4, 4, c.origCtx, c.fast, c.slow) {
			plain := math.Pow(1e4, -2*float64(i)/64)
			if f > plain*(1+1e-12) || f < plain/4*(1-1e-12) {
				t.Errorf("%+v: pair %d: %v is not between %v and a quarter of it", c, i, f, plain)
			}
		}
		if got, want := stretched(64, 1e4, 4, c.origCtx, c.fast, c.slow)[31], math.Pow(1e4, -62.0/64)/4; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%+v: the slowest pair: got %v, want %v", c, got, want)
		}
	}
}
