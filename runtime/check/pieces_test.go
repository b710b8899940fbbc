package check

import (
	"math/rand/v2"
	"testing"
)

// TestSpans compares the arithmetic of spans with that of single bytes.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const size = 24
	random := func() (list []Span, in [size]bool) {
		for range r.IntN(5) {
			lo := r.IntN(size)
			x := Span{lo, lo + r.IntN(size-lo+1)}
			list = append(list, x)
			for i := x.Lo; i < x.Hi; i++ {
				in[i] = true
			}
		}
		return list, in
	}
	for range 2000 {
		la, a := random()
		lb, b := random()
		ma, mb := merge(la), merge(lb)
		rest := without(ma, mb)
		for name, list := range map[string][]Span{"merge": ma, "without": rest} {
			last := -1
			var in [size]bool
			for _, x := range list {
				if x.Lo < last || x.Lo >= x.Hi {
					t.Fatalf("%s of %v and %v: %v does not ascend", name, la, lb, list)
				}
				last = x.Hi
				for i := x.Lo; i < x.Hi; i++ {
					in[i] = true
				}
			}
			for i := range in {
				if want := a[i] && (name == "merge" || !b[i]); in[i] != want {
					t.Fatalf("%s of %v and %v: %v, wrong at %d", name, la, lb, list, i)
				}
			}
		}
	}
}
