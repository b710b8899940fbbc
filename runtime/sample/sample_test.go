package sample

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var inf = float32(math.Inf(1))

func mustNew(t testing.TB, vocab int, p Params, masked ...int32) *Sampler {
	t.Helper()
	s, err := New(vocab, p, masked)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGreedy(t *testing.T) {
	for _, c := range []struct {
		name   string
		logits []float32
		masked []int32
		want   int32
	}{
		{"largest", []float32{1, 3, 2}, nil, 1},
		{"lowest id of equals", []float32{1, 3, 3, 3}, nil, 1},
		{"negative", []float32{-5, -2, -9}, nil, 1},
		{"zeros of both signs are equal", []float32{float32(math.Copysign(0, -1)), 0}, nil, 0},
		{"masked", []float32{9, 3, 4}, []int32{0}, 2},
		{"masked NaN does not matter", []float32{float32(math.NaN()), 3, 4}, []int32{0}, 2},
		{"-Inf is never chosen", []float32{-inf, -1e30, -inf}, nil, 1},
	} {
		s := mustNew(t, len(c.logits), Greedy(), c.masked...)
		if got, err := s.Pick(c.logits, 0); got != c.want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", c.name, got, err, c.want)
		}
	}
}

func TestBadLogits(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		logits []float32
		want   string
	}{
		{"NaN", []float32{1, nan, 2, 0}, "logit 1 is NaN"},
		{"NaN last", []float32{1, 2, 0, nan}, "logit 3 is NaN"},
		{"infinite", []float32{1, inf, 2, 0}, "logit 1 is +Inf"},
		{"length", []float32{1}, "1 logits for a sampler of 4"},
		{"nothing left", []float32{-inf, -inf, -inf, -inf}, "all 4 logits are masked or -Inf"},
	} {
		for _, temp := range []float32{0, 1} {
			p := Greedy()
			p.Temperature = temp
			id, err := mustNew(t, 4, p).Pick(c.logits, 0)
			if err == nil || id != -1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s at %v: got %d, %v, want %q", c.name, temp, id, err, c.want)
			}
		}
	}
}

func TestRepetitionPenalty(t *testing.T) {
	p := Greedy()
	p.Repeat = 2
	s := mustNew(t, 3, p)
	logits := []float32{4, 3, -1}
	pick := func(want int32) {
		t.Helper()
		if got, err := s.Pick(logits, 0); got != want || err != nil {
			t.Errorf("got %d, %v, want %d", got, err, want)
		}
	}
	pick(0)
	if err := s.Seen(0); err != nil {
		t.Fatal(err)
	}
	pick(1) // 2, 3, -1
	if err := s.Seen(0, 1, 1); err != nil {
		t.Fatal(err)
	}
	pick(0) // 2, 1.5, -1: how often does not matter
	logits = []float32{-4, -7, -9}
	pick(0) // -8, -14, -9
	s.Seen(2)
	pick(0) // -8, -14, -18
	s.Forget()
	pick(0)
	if err := s.Seen(1, 3); err == nil {
		t.Error("id 3 of 3: no error")
	}
	if s.seen[1] != 0 {
		t.Error("a refused list was counted in part")
	}
	if !slices.Equal(logits, []float32{-4, -7, -9}) {
		t.Errorf("logits were changed: %v", logits)
	}
}

// reference chooses by definition: sort, take prefixes, walk; sums in big integers.
func reference(logits []float32, p Params, masked, seen map[int32]bool, pos uint64) int32 {
	type cand struct {
		id int32
		x  float32
		w  uint64
	}
	var list []cand
	for id, x := range logits {
		if masked[int32(id)] {
			continue
		}
		if seen[int32(id)] {
			if x > 0 {
				x /= p.Repeat
			} else {
				x *= p.Repeat
			}
		}
		list = append(list, cand{id: int32(id), x: x})
	}
	top := slices.MaxFunc(list, func(a, b cand) int { // the first of equals
		if a.x != b.x {
			if a.x < b.x {
				return -1
			}
			return 1
		}
		return 0
	})
	if p.Temperature == 0 {
		return top.id
	}
	for i := range list {
		d := float32(list[i].x - top.x)
		inv := float32(1 / p.Temperature)
		list[i].w = weight(float32(d * inv))
	}
	slices.SortStableFunc(list, func(a, b cand) int {
		switch {
		case a.w > b.w:
			return -1
		case a.w < b.w:
			return 1
		}
		return int(a.id - b.id)
	})
	sum := func(l []cand) *big.Int {
		t := new(big.Int)
		for _, c := range l {
			t.Add(t, new(big.Int).SetUint64(c.w))
		}
		return t
	}
	list = slices.DeleteFunc(list, func(c cand) bool { return c.w == 0 })
	if p.TopK > 0 && p.TopK < len(list) {
		list = list[:p.TopK]
	}
	parts := func(p float32) *big.Int { return big.NewInt(int64(math.Ceil(float64(p) * (1 << 32)))) }
	goal := new(big.Int).Mul(parts(p.TopP), sum(list)) // in units of 2^-32
	for n := 1; n <= len(list); n++ {
		if new(big.Int).Lsh(sum(list[:n]), 32).Cmp(goal) >= 0 {
			list = list[:n]
			break
		}
	}
	list = slices.DeleteFunc(list, func(c cand) bool { return new(big.Int).SetUint64(c.w).Cmp(parts(p.MinP)) < 0 })
	slices.SortFunc(list, func(a, b cand) int { return int(a.id - b.id) })
	point := new(big.Int).Mul(new(big.Int).SetUint64(uniform(p.Seed, pos)), sum(list))
	point.Rsh(point, 64)
	for n := range list {
		if sum(list[:n+1]).Cmp(point) > 0 {
			return list[n].id
		}
	}
	panic("BUG: reference found no id")
}

func TestPickAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := Params{
			Temperature: rapid.SampledFrom([]float32{0, 1e-6, 0.1, 0.7, 1, 1.5, 1000}).Draw(r, "temperature"),
			TopK:        rapid.IntRange(0, 40).Draw(r, "top-k"),
			TopP:        rapid.SampledFrom([]float32{1, 0.95, 0.5, 0.1, 1e-9, 0.99999994}).Draw(r, "top-p"),
			MinP:        rapid.SampledFrom([]float32{0, 0.05, 0.5, 1, 1e-12}).Draw(r, "min-p"),
			Repeat:      rapid.SampledFrom([]float32{1, 1.1, 2, 0.5}).Draw(r, "repeat"),
			Seed:        rapid.Uint64().Draw(r, "seed"),
		}
		// Few distinct values, so that ties are common.
		logits := rapid.SliceOfN(rapid.OneOf(
			rapid.Float32Range(-30, 30), rapid.SampledFrom([]float32{0, 1, 1, 2, 2, -1, 5, -inf, 3e38, -3e38}),
		), 2, 50).Draw(r, "logits")
		logits[0] = 0.5
		masked, seen := map[int32]bool{}, map[int32]bool{}
		var maskedIDs []int32
		for _, id := range rapid.SliceOfN(rapid.Int32Range(1, int32(len(logits)-1)), 0, 5).Draw(r, "masked") {
			masked[id] = true
			maskedIDs = append(maskedIDs, id)
		}
		s, err := New(len(logits), p, maskedIDs)
		if err != nil {
			r.Fatal(err)
		}
		for _, id := range rapid.SliceOfN(rapid.Int32Range(0, int32(len(logits)-1)), 0, 5).Draw(r, "seen") {
			seen[id] = math.Abs(float64(logits[id])) < 1e30
			if seen[id] {
				s.Seen(id)
			}
		}
		for pos := range uint64(8) {
			want := reference(logits, p, masked, seen, pos)
			if got, err := s.Pick(logits, pos); got != want || err != nil {
				r.Fatalf("position %d: got %d, %v, want %d", pos, got, err, want)
			}
		}
	})
}

// Each id owns the points from the sum of the weights before it to that with its own.
func TestPointToID(t *testing.T) {
	s := mustNew(t, 5, Greedy())
	s.w = []uint64{0, 5, 0, 3, 0}
	for point, want := range []int32{1, 1, 1, 1, 1, 3, 3, 3} {
		if got := s.at(uint64(point)); got != want {
			t.Errorf("point %d: got %d, want %d", point, got, want)
		}
	}
}

// randomLogits returns n logits of a normal distribution.
func randomLogits(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 0))
	l := make([]float32, n)
	for i := range l {
		l[i] = float32(rng.NormFloat64() * 3)
	}
	return l
}

// Frequencies over positions fit the probabilities: chi-square, 19 degrees of freedom. The
// seed is fixed, so the test gives the same result every time.
func TestFrequencies(t *testing.T) {
	const n, draws = 20, 200_000
	logits := randomLogits(n, 7)
	p := Params{Temperature: 1.5, TopP: 1, Repeat: 1, Seed: 42}
	s := mustNew(t, n, p)
	var total float64
	prob := make([]float64, n)
	for i, x := range logits {
		prob[i] = math.Exp(float64(x) / 1.5)
		total += prob[i]
	}
	count := make([]float64, n)
	for pos := range uint64(draws) {
		id, err := s.Pick(logits, pos)
		if err != nil {
			t.Fatal(err)
		}
		count[id]++
	}
	chi := 0.0
	for i := range prob {
		want := prob[i] / total * draws
		chi += (count[i] - want) * (count[i] - want) / want
	}
	if chi > 43.8 { // 0.1 % of correct samplers exceed it
		t.Errorf("chi-square %.1f, want at most 43.8; counts %v", chi, count)
	}
}

// The choices of a seed are pinned; a change of them is a change of the format.
func TestChoicesArePinned(t *testing.T) {
	s := mustNew(t, 1000, Params{Temperature: 0.8, TopK: 200, TopP: 0.95, MinP: 0.01, Repeat: 1.1, Seed: 1})
	logits := randomLogits(1000, 3)
	var got []int32
	for pos := range uint64(12) {
		id, err := s.Pick(logits, pos)
		if err != nil {
			t.Fatal(err)
		}
		s.Seen(id)
		got = append(got, id)
	}
	if want := []int32{916, 722, 546, 39, 546, 201, 109, 546, 960, 546, 546, 565}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPickDoesNotAllocate(t *testing.T) {
	s := mustNew(t, 5000, Params{Temperature: 1, TopK: 100, TopP: 0.9, MinP: 0.02, Repeat: 1.2, Seed: 5})
	logits := randomLogits(5000, 1)
	pos := uint64(0)
	if n := testing.AllocsPerRun(50, func() { pos++; s.Pick(logits, pos) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func BenchmarkPick(b *testing.B) {
	logits := randomLogits(154_880, 1)
	for _, c := range []struct {
		name string
		p    Params
	}{
		{"greedy", Greedy()},
		{"plain", Params{Temperature: 1, TopP: 1, Repeat: 1}},
		{"top-k top-p", Params{Temperature: 1, TopK: 50, TopP: 0.95, Repeat: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := mustNew(b, len(logits), c.p)
			for pos := uint64(0); b.Loop(); pos++ {
				s.Pick(logits, pos)
			}
		})
	}
}
