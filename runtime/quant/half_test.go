package quant

import (
	"math"
	"testing"
)

// slowHalf reads a half by its definition.
func slowHalf(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	exp, man := int(h>>10&31), float64(h&0x3ff)
	switch {
	case exp == 31 && man != 0:
		return math.NaN()
	case exp == 31:
		return sign * math.Inf(1)
	case exp == 0:
		return sign * math.Ldexp(man, -24)
	}
	return sign * math.Ldexp(1024+man, exp-25)
}

func TestF16EveryHalf(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		got, want := F16ToF32(h), slowHalf(h)
		if math.IsNaN(want) {
			if got == got {
				t.Fatalf("F16ToF32(%#04x) = %v, want NaN", h, got)
			}
			if back := F32ToF16(got); back&0x7c00 != 0x7c00 || back&0x3ff == 0 || back&0x8000 != h&0x8000 {
				t.Fatalf("NaN %#04x came back as %#04x", h, back)
			}
			continue
		}
		if float64(got) != want || math.Signbit(float64(got)) != (h&0x8000 != 0) {
			t.Fatalf("F16ToF32(%#04x) = %v, want %v", h, got, want)
		}
		if back := F32ToF16(got); back != h {
			t.Fatalf("F32ToF16(F16ToF32(%#04x)) = %#04x", h, back)
		}
	}
}

// nearestBits finds, by bisection over the non-negative codes up to inf, the code whose value
// is nearest to v, ties to the even code; value must be increasing.
func nearestBits(v float64, inf uint16, value func(uint16) float64) uint16 {
	lo, hi := uint16(0), inf
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; value(mid) <= v {
			lo = mid
		} else {
			hi = mid
		}
	}
	top := value(hi)
	if hi == inf { // rounding treats infinity as the next power of two
		top = 2*value(inf-1) - value(inf-2)
	}
	switch a, b := v-value(lo), top-v; {
	case a < b:
		return lo
	case a > b:
		return hi
	}
	return lo + lo&1
}

func TestRoundingToNearestEven(t *testing.T) {
	kinds := []struct {
		name   string
		round  func(float32) uint16
		value  func(uint16) float64
		inf    uint16
		widths uint32 // float32 bits below the last place of a normal value
	}{
		{"f16", F32ToF16, slowHalf, 0x7c00, 13},
		{"bf16", F32ToBF16, func(h uint16) float64 { return float64(math.Float32frombits(uint32(h) << 16)) }, 0x7f80, 16},
	}
	for _, k := range kinds {
		check := func(f float32) {
			t.Helper()
			want := k.inf
			if a := math.Abs(float64(f)); !math.IsInf(a, 0) {
				want = nearestBits(a, k.inf, k.value)
			}
			if math.Signbit(float64(f)) {
				want |= 0x8000
			}
			if got := k.round(f); got != want {
				t.Fatalf("%s: %v (%#08x) rounds to %#04x, want %#04x", k.name, f, math.Float32bits(f), got, want)
			}
		}
		// Every boundary between two codes: the midpoint and its two neighbours.
		for h := uint16(0); h+1 < k.inf; h += 3 {
			mid := float32((k.value(h) + k.value(h+1)) / 2)
			for d := range uint32(3) {
				f := math.Float32frombits(math.Float32bits(mid) + d - min(1, math.Float32bits(mid)))
				check(f)
				check(-f)
			}
		}
		r := NewRand(1)
		for range 100000 {
			if f := math.Float32frombits(uint32(r.Uint64())); f == f {
				check(f)
			}
		}
		for _, f := range []float32{0, 65504, 65519.996, 65520, 65536, 3.3895e38, math.MaxFloat32, float32(math.Inf(1)), math.SmallestNonzeroFloat32} {
			check(f)
			check(-f)
		}
		if got := k.round(float32(math.NaN())); got&k.inf != k.inf || got&^(k.inf|0x8000) == 0 {
			t.Errorf("%s: NaN rounds to %#04x", k.name, got)
		}
		// A NaN whose payload lies only in the dropped bits must not become infinity.
		if got := k.round(math.Float32frombits(0x7f800001)); got&^(k.inf|0x8000) == 0 {
			t.Errorf("%s: signalling NaN rounds to %#04x", k.name, got)
		}
	}
}
