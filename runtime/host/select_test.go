package host

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dsac/runtime/ref"
)

// slowSelect sorts all indices by (score descending, index ascending).
func slowSelect(scores []float32, k int) []int32 {
	value := func(i int32) float64 {
		if v := float64(scores[i]); v == v {
			return v
		}
		return math.Inf(-1)
	}
	all := make([]int32, len(scores))
	for i := range all {
		all[i] = int32(i)
	}
	slices.SortStableFunc(all, func(a, b int32) int {
		switch {
		case value(a) > value(b):
			return -1
		case value(a) < value(b):
			return 1
		}
		return 0
	})
	all = all[:min(k, len(all))]
	slices.Sort(all)
	for len(all) < k {
		all = append(all, -1)
	}
	return all
}

func TestSelectLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-45, -1e-45, math.MaxFloat32}
	w := &ref.Work{}
	for i := range 400 {
		n := 1 + r.IntN(300)
		k := 1 + r.IntN(n+3)
		scores := make([]float32, n)
		for j := range scores {
			switch i % 4 {
			case 0:
				scores[j] = float32(r.NormFloat64())
			case 1:
				scores[j] = float32(r.IntN(5)) // many ties
			case 2:
				scores[j] = special[r.IntN(len(special))]
			case 3:
				scores[j] = math.Float32frombits(r.Uint32())
			}
		}
		got := make([]int32, k)
		selectLargest(scores, got, k, w)
		if want := slowSelect(scores, k); !slices.Equal(got, want) {
			t.Fatalf("k %d of %v:\ngot  %v\nwant %v", k, scores, got, want)
		}
	}
}

// TestExactTopkUnderTies: 100 winners and 8,220 zeros, k = 2,048 give the winners and the
// lowest 1,948 zeros, whatever the workers. Half of the zeros are minus zero: the product of
// a negative weight and a score that the ReLU cut to zero.
func TestExactTopkUnderTies(t *testing.T) {
	const n, winners, k = 8320, 100, 2048
	q, w := make([]float32, 2), []float32{1, -1}
	q[0], q[1] = 1, 1 // two heads of one element
	r := rand.New(rand.NewPCG(9, 9))
	won := map[int]bool{}
	for len(won) < winners {
		won[r.IntN(n)] = true
	}
	keys := make([]float32, n)
	for s := range keys {
		keys[s] = -float32(1 + s%3) // the ReLU makes it zero
		if won[s] {
			keys[s] = 2
		}
	}
	var want []int32
	zeros := 0
	for s := range keys {
		if won[s] {
			want = append(want, int32(s))
		} else if zeros < k-winners {
			want = append(want, int32(s))
			zeros++
		}
	}
	w[1] = -0.5
	for _, workers := range []int{1, 2, 5} {
		c := newCall(t, r, 1, n-1, ints("scale", 1.0, "k", k), f32(1, 2, 1), f32(1, 2), f32(n, 1), operand{dtype: "i32", shape: []int{1, k}}, f32(1, n))
		copy(c.Args[0].F32, q)
		copy(c.Args[1].F32, w)
		copy(c.Args[2].F32, keys)
		e := newEngine(workers)
		indexTopk(e, c)
		e.close()
		if !slices.Equal(c.Args[3].I32, want) {
			t.Errorf("%d workers: the list differs", workers)
		}
	}
}
