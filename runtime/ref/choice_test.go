package ref

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// bestOf sorts indices by (value descending, index ascending) and lists the first k ascending.
func bestOf(values []float64, k, width int) []int32 {
	all := make([]int32, len(values))
	for i := range all {
		all[i] = int32(i)
	}
	sort.SliceStable(all, func(i, j int) bool { return values[all[i]] > values[all[j]] })
	all = all[:min(k, len(all))]
	slices.Sort(all)
	for len(all) < width {
		all = append(all, -1)
	}
	return all
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		if out[i] = float64(x); x != x {
			out[i] = math.Inf(-1)
		}
	}
	return out
}

func TestTopkEqualsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 100 {
		n := 1 + r.IntN(20)
		k := 1 + r.IntN(n)
		x, idx := arg(t, r, "f32", 1, n), arg(t, r, "i32", 1, k)
		for i := range x.F32 {
			switch r.IntN(6) {
			case 0:
				x.F32[i] = float32(math.NaN())
			case 1:
				x.F32[i] = float32(math.Inf(-1))
			case 2:
				x.F32[i] = float32(r.IntN(3)) * float32(1-2*r.IntN(2)) // ties, minus zero
			}
		}
		run(t, "topk", 1, 0, attrs("k", k), x, idx)
		if want := bestOf(widen(x.F32), k, k); !slices.Equal(idx.I32, want) {
			t.Fatalf("k %d of %v: got %v, want %v", k, x.F32, idx.I32, want)
		}
	}
}

// TestGroupMaskEqualsEnumeration tries all sets of groups: the one kept has the largest sorted
// scores, the lower groups on a tie.
func TestGroupMaskEqualsEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		groups, size := 2+r.IntN(4), 2+r.IntN(3)
		used := 1 + r.IntN(groups-1)
		x, y := arg(t, r, "f32", 1, groups*size), arg(t, r, "f32", 1, groups*size)
		if r.IntN(2) == 0 {
			for i := range x.F32 {
				x.F32[i] = float32(r.IntN(3))
			}
		}
		run(t, "group_mask", 1, 0, attrs("groups", groups, "used", used), x, y)
		scores := make([]float64, groups)
		for g := range scores {
			v := slices.Sorted(slices.Values(x.F32[g*size : (g+1)*size]))
			scores[g] = float64(float32(float64(v[size-1]) + float64(v[size-2])))
		}
		kept := bestOf(scores, used, used)
		for i, v := range y.F32 {
			want := x.F32[i]
			if !slices.Contains(kept, int32(i/size)) {
				want = float32(math.Inf(-1))
			}
			if v != want {
				t.Fatalf("groups %d used %d of %v: got %v", groups, used, x.F32, y.F32)
			}
		}
	}
}

func TestGateWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	p, idx, g := arg(t, r, "f32", 1, 4), arg(t, r, "i32", 1, 2), arg(t, r, "f32", 1, 2)
	copy(p.F32, []float32{0.5, 0.25, 1e-6, 2e-6})
	for _, c := range []struct {
		idx  []int32
		norm int
		want []float64
	}{
		{[]int32{0, 1}, 0, []float64{1.25, 0.625}},
		{[]int32{0, 1}, 1, []float64{2.5 * 2 / 3, 2.5 / 3}},
		{[]int32{2, 3}, 1, []float64{2.5e-6 / 6.103515625e-5, 5e-6 / 6.103515625e-5}}, // the floor
	} {
		copy(idx.I32, c.idx)
		run(t, "gate_weights", 1, 0, attrs("norm", c.norm, "scale", 2.5, "floor", 6.103515625e-5), p, idx, g)
		for i, want := range c.want {
			if !near(float64(g.F32[i])/want, 1, 1e-6) {
				t.Errorf("experts %v norm %d: got %v, want %v", c.idx, c.norm, g.F32, c.want)
			}
		}
	}
}

// TestIndexTopk compares scores and lists with the formula written in another order, on
// values whose sums are exact, so that ties are ties.
func TestIndexTopk(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	const n, pos, heads, d, k, ctx = 5, 6, 3, 4, 4, 16
	q, w, keys := arg(t, r, "f32", n, heads, d), arg(t, r, "f32", n, heads), arg(t, r, "f32", ctx, d)
	for _, a := range []Arg{q, w, keys} {
		for i := range a.F32 {
			a.F32[i] = float32(r.IntN(5) - 2)
		}
	}
	sel, scratch := arg(t, r, "i32", n, k), arg(t, r, "f32", 2, ctx)
	run(t, "index_topk", n, pos, attrs("scale", 0.5, "k", k), q, w, keys, sel, scratch)
	for row := range n {
		scores := make([]float64, pos+row+1)
		for h := heads - 1; h >= 0; h-- {
			for s := range scores {
				var dot float64
				for i := d - 1; i >= 0; i-- {
					dot += float64(q.F32[(row*heads+h)*d+i]) * float64(keys.F32[s*d+i])
				}
				scores[s] += 0.5 * float64(w.F32[row*heads+h]) * math.Max(dot, 0)
			}
		}
		if got, want := sel.I32[row*k:][:k], bestOf(scores, k, k); !slices.Equal(got, want) {
			t.Errorf("row %d: got %v, want %v", row, got, want)
		}
	}
	run(t, "index_topk", 2, 0, attrs("scale", 0.5, "k", k), q, w, keys, sel, scratch)
	if want := []int32{0, -1, -1, -1, 0, 1, -1, -1}; !slices.Equal(sel.I32[:2*k], want) {
		t.Errorf("within top-k: got %v, want %v", sel.I32[:2*k], want)
	}
}
