package sample

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// inParts is Pick by way of the parts.
func inParts(s *Sampler, logits []float32, pos uint64) (int32, error) {
	n := Blocks(len(logits))
	peaks, masses := make([]uint64, n), make([]uint64, Buckets)
	kept, list := make([]uint64, Kept*(1+n)), make([]uint64, Block*n)
	s.Peaks(logits, peaks)
	s.Masses(logits, peaks, masses)
	s.Sift(logits, peaks, masses, kept, list)
	return s.Draw(logits, peaks, kept, list, pos)
}

// TestParts: the parts together are Pick, for any parameters and logits.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vocab := rapid.SampledFrom([]int{1, 7, 1024, 1025, 3000}).Draw(t, "vocab")
		r := rapid.Uint64().Draw(t, "seed")
		p := Params{
			Temperature: rapid.SampledFrom([]float32{0, 0.1, 0.8, 1, 5, 1000}).Draw(t, "temperature"),
			TopK:        rapid.SampledFrom([]int{0, 1, 40, 1500}).Draw(t, "top-k"),
			TopP:        rapid.SampledFrom([]float32{1, 0.95, 0.5, 1e-6}).Draw(t, "top-p"),
			MinP:        rapid.SampledFrom([]float32{0, 0.05, 1}).Draw(t, "min-p"),
			Repeat:      rapid.SampledFrom([]float32{1, 1.3, 0.5}).Draw(t, "repeat"),
			Seed:        r,
		}
		rare := rapid.SampledFrom([]float32{0, inf, -inf, float32(math.NaN())}).Draw(t, "rare")
		step := rapid.SampledFrom([]float32{0, 0.01, 1, 1e38}).Draw(t, "step")
		logits := make([]float32, vocab)
		s, err := New(vocab, p, []int32{int32(vocab / 2)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range logits {
			r = r*6364136223846793005 + 1442695040888963407
			logits[i] = step * float32(int(r>>40%31)-15)
			if r>>33%uint64(vocab) == 0 {
				logits[i] = rare
			}
			if r>>20%5 == 0 {
				if err := s.Seen(int32(i)); err != nil {
					t.Fatal(err)
				}
			}
		}
		want, wantErr := s.Pick(logits, r)
		got, err := inParts(s, logits, r)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%+v: got %d, %v in parts, want %d, %v", p, got, err, want, wantErr)
		}
	})
}

func TestPeaksKeepOrder(t *testing.T) {
	rising := []float32{-inf, -math.MaxFloat32, -1, -1e-45, 0, 1e-45, 1, math.MaxFloat32}
	for i, x := range rising {
		p := peak(x, 5)
		if y, id := unpeak(p); y != x || id != 5 {
			t.Errorf("peak of %v, 5 says %v, %d", x, y, id)
		}
		if i > 0 && peak(rising[i-1], 0) >= p {
			t.Errorf("the peak of %v is not above that of %v", x, rising[i-1])
		}
		if peak(x, 6) >= p || p == broken {
			t.Errorf("peak of %v: id 6 is not behind 5, or it counts as broken", x)
		}
	}
	if peak(float32(math.Copysign(0, -1)), 1) != peak(0, 1) {
		t.Error("zeros of two signs have two peaks")
	}
}
