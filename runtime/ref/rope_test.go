package ref

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// TestRopeIsARotation compares rope with complex multiplication.
func TestRopeIsARotation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n, pos, heads, width = 3, 1000, 2, 12
	for _, c := range []struct {
		style           string
		dims, off       int
		col, cols       int
		mscale          float64
		first, interval int // of pair p: elements off+p*first, and interval after it
	}{
		{"interleaved", 8, 0, 0, 12, 1, 2, 1},
		{"interleaved", 4, 6, 0, 12, 1, 2, 1},
		{"half", 8, 2, 0, 12, 1, 1, 4},
		{"interleaved", 6, 1, 4, 8, 1.5, 2, 1},
	} {
		x := columns(t, arg(t, r, "f32", n, heads, width), c.col, c.cols)
		y := arg(t, r, "f32", n, heads, c.cols)
		run(t, "rope", n, pos, attrs("dims", c.dims, "off", c.off, "base", 1e6, "style", c.style, "mscale", c.mscale), x, y)
		for row := range n * heads {
			in, out := x.Row(row, nil), y.Row(row, nil)
			want := make([]float64, c.cols)
			for i, v := range in {
				want[i] = float64(v)
			}
			for p := range c.dims / 2 {
				a := c.off + p*c.first
				angle := float64(pos+row/heads) / math.Pow(1e6, 2*float64(p)/float64(c.dims))
				z := complex(float64(in[a]), float64(in[a+c.interval])) * cmplx.Rect(c.mscale, angle)
				want[a], want[a+c.interval] = real(z), imag(z)
			}
			for i := range want {
				if !near(float64(out[i]), want[i], 1e-6) {
					t.Fatalf("%s dims %d off %d row %d element %d: got %v, want %v", c.style, c.dims, c.off, row, i, out[i], want[i])
				}
			}
		}
	}
}

// TestYarnFrequencies: with the constants of DeepSeek-V3 (64 dims, base 10,000, 4,096
// positions stretched 40 times, beta 32 and 1), pairs 0..10 turn at least 32 times over 4,096
// positions and stay, pairs 23.. turn less than once and are slowed 40 times, between them the
// share is linear in the pair.
func TestYarnFrequencies(t *testing.T) {
	freq := make([]float64, 32)
	for i := range freq {
		freq[i] = math.Pow(10000, -2*float64(i)/64)
	}
	got := append([]float64(nil), freq...)
	yarn(got, 10000, 64, 40, 4096, 32, 1)
	for i := range freq {
		share := min(max(float64(i-10)/13, 0), 1) // 10 = floor(10.47), 23 = ceil(22.5)
		want := freq[i]/40*share + freq[i]*(1-share)
		if !near(got[i]/freq[i], want/freq[i], 1e-12) {
			t.Errorf("pair %d: got %g, want %g", i, got[i], want)
		}
	}
	turns := func(i int) float64 { return 4096 * freq[i] / (2 * math.Pi) }
	if turns(10) < 32 || turns(23) > 1 {
		t.Errorf("pairs 10 and 23 turn %.1f and %.2f times", turns(10), turns(23))
	}
}
