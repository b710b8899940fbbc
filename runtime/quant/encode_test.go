package quant

import (
	"math"
	"strings"
	"testing"
)

// maxStep bounds the error of one value after encode and decode, as a fraction of the largest
// magnitude in its block, for the nearest-value encoders (half a step, plus what the rounding
// of the scales to few bits adds).
var maxStep = map[Type]float64{
	F32: 0, F16: 1.0 / 2048, BF16: 1.0 / 256,
	Q4_0: 1.0 / 8 * 1.01, Q4_1: 1.0 / 15 * 1.1, Q5_0: 1.0 / 16 * 1.01, Q5_1: 1.0 / 31 * 1.1, Q8_0: 0.5 / 127 * 1.1,
	IQ4_NL: 14.0 / 127 * 1.05, MXFP4: 0.34,
	Q2_K: 0.5, Q3_K: 0.35, Q4_K: 0.09, Q5_K: 0.05, Q6_K: 0.04, Q8_K: 0.5 / 127 * 1.01, IQ4_XS: 0.2,
}

func TestEncodeRoundTripStaysWithinAStep(t *testing.T) {
	for _, ty := range decodable() {
		info, _ := ty.Info()
		limit, ok := maxStep[ty]
		if !ok {
			t.Errorf("%s: no bound", ty)
			continue
		}
		r := NewRand(uint64(ty) + 100)
		src, got := make([]float32, info.Elems), make([]float32, info.Elems)
		buf := make([]byte, info.Bytes)
		worst := 0.0
		for range 400 {
			scale := float32(math.Exp2(float64(r.Uint64()%16) - 8))
			for i := range src {
				src[i] = r.Normal() * scale
			}
			if err := ty.Encode(buf, src); err != nil {
				t.Fatal(err)
			}
			if err := ty.Decode(got, buf); err != nil {
				t.Fatal(err)
			}
			top := math.Abs(float64(extreme(src)))
			for i := range src {
				worst = max(worst, math.Abs(float64(got[i]-src[i]))/top)
			}
		}
		if worst > limit {
			t.Errorf("%s: worst error is %.4f of the block's largest value, want at most %.4f", ty, worst, limit)
		}
	}
}

// Decoded blocks are values the type can hold; a second round trip must keep zeros exactly
// and constant blocks closely.
func TestEncodeSpecialBlocks(t *testing.T) {
	for _, ty := range decodable() {
		info, _ := ty.Info()
		for _, v := range []float32{0, 1, -1} {
			src, got := make([]float32, info.Elems), make([]float32, info.Elems)
			for i := range src {
				src[i] = v
			}
			buf := make([]byte, info.Bytes)
			if err := ty.Encode(buf, src); err != nil {
				t.Fatal(err)
			}
			if err := ty.Decode(got, buf); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if math.Abs(float64(got[i]-v)) > 0.26*math.Abs(float64(v)) {
					t.Fatalf("%s: constant %v came back as %v", ty, v, got[i])
				}
			}
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	tests := []struct {
		t     Type
		src   []float32
		bytes int
		want  string
	}{
		{Q8_0, make([]float32, 31), 34, "34 bytes do not hold 31 values"},
		{IQ1M, make([]float32, 256), 56, "unsupported type: blocks of iq1_m cannot be encoded"},
		{F32, []float32{float32(math.Inf(1))}, 4, "value 0 is +Inf"},
		{F16, []float32{0, float32(math.NaN())}, 4, "value 1 is NaN"},
		{Type(99), nil, 0, "unknown tensor type id 99"},
	}
	for _, tt := range tests {
		err := tt.t.Encode(make([]byte, tt.bytes), tt.src)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s.Encode = %v, want %q", tt.t, err, tt.want)
		}
	}
}

func TestRandomRowHasTheScaleAskedFor(t *testing.T) {
	for _, ty := range decodable() {
		info, _ := ty.Info()
		for _, scale := range []float64{1, 1 / math.Sqrt(6144)} {
			n := 1 << 17
			src, vals := make([]byte, n/info.Elems*info.Bytes), make([]float64, n)
			if err := ty.RandomRow(src, NewRand(7), scale); err != nil {
				t.Fatal(err)
			}
			if err := ty.Decode64(vals, src); err != nil {
				t.Fatal(err)
			}
			sum, squares := 0.0, 0.0
			for i, v := range vals {
				if math.IsNaN(v) || math.Abs(v) > 12*scale {
					t.Fatalf("%s: value %d is %v with scale %v", ty, i, v, scale)
				}
				sum, squares = sum+v, squares+v*v
			}
			std, mean := math.Sqrt(squares/float64(n)), sum/float64(n)
			if std < 0.97*scale || std > 1.03*scale || math.Abs(mean) > 0.02*scale {
				t.Errorf("%s: mean %v, standard deviation %v; want 0 and %v", ty, mean, std, scale)
			}
		}
	}
}

// Synthetic files are reproducible only while this sequence stays as it is.
func TestRandIsFixed(t *testing.T) {
	r := NewRand(42)
	for i, want := range []uint64{0xbdd732262feb6e95, 0x28efe333b266f103, 0x47526757130f9f52} {
		if got := r.Uint64(); got != want {
			t.Errorf("value %d of seed 42 is %#x, want %#x", i, got, want)
		}
	}
}

func TestRandomRowErrors(t *testing.T) {
	for _, tt := range []struct {
		t     Type
		bytes int
		scale float64
		want  string
	}{
		{Q8_0, 33, 1, "33 bytes are not whole blocks of 34"},
		{TQ1_0, 54, 1, "unsupported type: no random blocks of tq1_0"},
		{Q8_0, 34, math.NaN(), "scale NaN is out of range"},
		{Q8_0, 34, 1e9, "scale 1e+09 is out of range"},
	} {
		err := tt.t.RandomRow(make([]byte, tt.bytes), NewRand(0), tt.scale)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s.RandomRow = %v, want %q", tt.t, err, tt.want)
		}
	}
}
