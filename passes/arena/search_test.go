package arena

import (
	"context"
	"testing"

	"pgregory.net/rapid"
)

// TestSearchIsExact leaves the greedy orders out: each order alone must find the optimum and
// prove that nothing is lower.
func TestSearchIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bufs := small(4, 7, rapid.Bool().Draw(t, "fixed")).Draw(t, "bufs")
		p, err := newProblem(bufs)
		if err != nil {
			return // fixed buffers collide
		}
		for _, pt := range p.parts() {
			var alone []Buffer
			for _, it := range pt.items {
				alone = append(alone, bufs[it.index])
			}
			g := grain(alone)
			optimum, _ := exhaustive(alone)
			want := int64(optimum / p.grain)
			if g != p.grain { // sizes are rounded to the whole problem's grain
				want = exhaustiveIn(alone, p.grain)
			}
			for _, o := range searchOrders {
				u := &runner{order: o, ranks: o.ranks(pt), weights: make([]int64, pt.cliques)}
				r := &race{pt: pt, shared: newNeighbours(pt), workers: 1}
				if got := u.try(r, want, 1<<20, never); got != foundOne {
					t.Fatalf("%s: height %d: got %v, want a placement", o.name, want, got)
				}
				if got := pt.height(u.offsets); got != want {
					t.Fatalf("%s: got height %d, want %d", o.name, got, want)
				}
				if got := u.try(r, want-1, 1<<20, never); got != noneExists {
					t.Fatalf("%s: height %d: got %v, want a proof that there is none", o.name, want-1, got)
				}
			}
		}
	})
}

func never() bool { return false }

// exhaustiveIn is exhaustive with another grain, in grains.
func exhaustiveIn(bufs []Buffer, g uint64) int64 {
	speck := Buffer{Name: "speck", Lower: 100, Upper: 101, Align: g}
	h, _ := exhaustive(append(bufs, speck))
	return int64(h / g)
}

// TestWorkersDoNotMatter takes instances that need the search.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, name := range []string{"B.1048576", "H.1048576"} {
		bufs := instance(t, name)
		var want Result
		for i, workers := range []int{1, 2, 6} {
			got, err := Plan(context.Background(), bufs, Options{Capacity: 1 << 20, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				want = got
			}
			for j := range bufs {
				if got.Offsets[j] != want.Offsets[j] {
					t.Fatalf("%s, %d workers: %s at %d, with one worker at %d", name, workers, bufs[j].Name, got.Offsets[j], want.Offsets[j])
				}
			}
			if got.Stats != want.Stats {
				t.Errorf("%s, %d workers: got %+v, want %+v", name, workers, got.Stats, want.Stats)
			}
		}
	}
}

func TestLuby(t *testing.T) {
	for i, want := range []int64{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1} {
		if got := luby(int64(i + 1)); got != want {
			t.Errorf("luby(%d): got %d, want %d", i+1, got, want)
		}
	}
}
