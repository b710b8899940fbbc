package sample

import (
	"hash/crc32"
	"math"
	"testing"
)

func TestWeightEnds(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		d    float32
		want uint64
	}{
		{0, one}, {float32(math.Copysign(0, -1)), one}, {-inf, 0}, {-math.MaxFloat32, 0},
		{-1e-30, one}, {-22.88, 0}, {-23, 0}, {-22, 1},
		{-0.6931472, one / 2}, {-1.3862944, one / 4},
	} {
		if got := weight(c.d); got != c.want {
			t.Errorf("weight(%v): got %d, want %d", c.d, got, c.want)
		}
	}
}

// Weights follow exp within the stated error, and the bits are pinned: a change of them
// changes what every seed generates, on the host and on devices.
func TestWeightAgainstExp(t *testing.T) {
	sum := crc32.NewIEEE()
	worst := 0.0
	for i := range 400_000 {
		d := -float32(i) * 0x1p-14
		got := weight(d)
		exact := math.Exp(float64(d)) * one
		if e := (math.Abs(float64(got)-exact) - 0.5) / exact; e > worst {
			worst = e
		}
		sum.Write([]byte{byte(got), byte(got >> 8), byte(got >> 16), byte(got >> 24), byte(got >> 32)})
	}
	if worst > 1.2e-6 {
		t.Errorf("relative error %.3g, want at most 1.2e-6", worst)
	}
	t.Logf("worst relative error %.3g", worst)
	if got, want := sum.Sum32(), uint32(0xe888df53); got != want {
		t.Errorf("checksum of the weights: got %#08x, want %#08x", got, want)
	}
}

// Near powers of two, where floor and the polynomial's ends meet, a larger logit never gets a
// smaller weight by more than the rounding of p.
func TestWeightAtSeams(t *testing.T) {
	for n := range 33 {
		d := float32(-float64(n) * math.Ln2)
		lo, hi := d, d
		for range 200 {
			lo = math.Nextafter32(lo, -100)
			hi = math.Nextafter32(hi, 0)
		}
		last := weight(lo)
		for d := lo; d <= hi && d <= 0; d = math.Nextafter32(d, 1) {
			w := weight(d)
			if w > one {
				t.Fatalf("weight(%v) = %d, more than that of 0", d, w)
			}
			if w < last && float64(last-w) > 2.5e-7*float64(last) {
				t.Errorf("weight(%v) = %d after %d", d, w, last)
			}
			last = w
			if d == 0 {
				break
			}
		}
	}
}
