package cuda

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// fakeTimer opens a timer of the toy on a fake driver, which is checked for leaks at the end.
func fakeTimer(t *testing.T, p *plan.Plan) (*Timer, *fake) {
	t.Helper()
	f := newFake()
	f.free, f.info.L2 = 1<<40, 1<<20
	tm, err := newTimer(f, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tm.Close(); err != nil {
			t.Error(err)
		}
	})
	return tm, f
}

// A job of the toy's embedding: ids, weights, result, control block.
func TestTimerRotatesWhatIsCold(t *testing.T) {
	tm, f := fakeTimer(t, toyPlan(t))
	got, err := tm.Time(context.Background(), Job{First: 6, Count: 1, N: 4, Len: 4, Cold: 1024})
	if err != nil {
		t.Fatal(err)
	}
	if got.Micros != 10 || got.Rounds != leastRounds || got.Runs != mostRuns || got.Spread != 0 {
		t.Errorf("%+v, want %d runs of %d rounds of 10 us", got, mostRuns, leastRounds)
	}
	g := f.graphs[len(f.graphs)-1]
	if len(g.nodes) != leastRounds || len(g.edges) != leastRounds-1 {
		t.Fatalf("%d nodes and %d edges in the graph", len(g.nodes), len(g.edges))
	}
	distinct := func(param int) int {
		seen := map[uint64]bool{}
		for _, n := range g.nodes {
			seen[n.params[param]] = true
		}
		return len(seen)
	}
	for param, want := range []int{leastRounds, leastRounds, 1, 1} {
		if got := distinct(param); got != want {
			t.Errorf("parameter %d has %d addresses, want %d", param, got, want)
		}
	}
	for i, e := range g.edges {
		if e != (edge{from: int32(i), to: int32(i + 1)}) {
			t.Fatalf("edge %d is %v: rounds must follow each other", i, e)
		}
	}
}

// Rounds that read much are as many as fill the L2 several times; launches of a job keep their
// order in each round.
func TestTimerFillsTheL2(t *testing.T) {
	tm, f := fakeTimer(t, toyPlan(t))
	f.info.L2 = 64 << 20
	got, err := tm.Time(context.Background(), Job{First: 0, Count: 2, N: 1, Len: 1, Cold: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if want := coldFactor * 32; got.Rounds != want || got.Micros != 20 {
		t.Errorf("%+v, want %d rounds of 20 us", got, want)
	}
	g := f.graphs[len(f.graphs)-1]
	for i, n := range g.nodes {
		if n.launch != int32(i%2) {
			t.Fatalf("node %d is launch %d", i, n.launch)
		}
	}
	if g.nodes[0].params[2] != g.nodes[1].params[0] {
		t.Error("the second launch does not read what the first writes")
	}
}

func TestTimerRefuses(t *testing.T) {
	tm, f := fakeTimer(t, toyPlan(t))
	f.free = 1 << 20
	if _, err := tm.Time(context.Background(), Job{First: 0, Count: 1, N: 1, Len: 1}); err == nil || !strings.Contains(err.Error(), "--only") {
		t.Errorf("no room: %v", err)
	}
	f.free = 1 << 40
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f.pending = 1 << 30
	if _, err := tm.Time(ctx, Job{First: 0, Count: 1, N: 1, Len: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	f.pending = 0
	if _, err := tm.Time(context.Background(), Job{First: 0, Count: 1, N: 1, Len: 1}); err != nil {
		t.Errorf("after that: %v", err)
	}
	bare := toyPlan(t)
	bare.Launches[0].Kernel = plan.None
	tm.d.plan = bare
	if _, err := tm.Time(context.Background(), Job{First: 0, Count: 1, N: 1, Len: 1}); err == nil || !strings.Contains(err.Error(), "no kernel") {
		t.Errorf("no kernel: %v", err)
	}
	p := toyPlan(t)
	setMeta(p, plan.MetaTarget, "sm_120")
	if _, err := newTimer(newFake(), p, Options{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("another target: %v", err)
	}
}

func TestTimerStopsAfterAFault(t *testing.T) {
	f := newFake()
	f.free = 1 << 40
	tm, err := newTimer(f, toyPlan(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.fault = &Error{"cuStreamQuery", codeIllegalAddr, "CUDA_ERROR_ILLEGAL_ADDRESS", ""}
	var fault *Fault
	for range 2 { // every call says so
		if _, err := tm.Time(context.Background(), Job{First: 3, Count: 1, N: 1, Len: 1}); !errors.As(err, &fault) {
			t.Errorf("got %v, want a fault", err)
		}
	}
	if err := tm.Close(); err != nil {
		t.Error(err)
	}
}

func TestRates(t *testing.T) {
	tm, f := fakeTimer(t, toyPlan(t))
	f.free = 8 << 20
	r, err := tm.Rates(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * float64(1<<20) / 10 * 1e6; r.Copy != want || r.MMA <= 0 {
		t.Errorf("rates %+v, want %v of copies: an eighth of the free memory there and back in 10 us", r, want)
	}
}

func TestSpreadList(t *testing.T) {
	for _, c := range []struct{ k, bound int }{{8, 256}, {8, 8}, {2048, 131072}, {4, 3}, {1, 100}, {8, 9}} {
		b := make([]byte, 4*c.k)
		spreadList(b, c.k, c.bound, quant.NewRand(1))
		last, live := int32(-1), 0
		for j := range c.k {
			v := int32(le.Uint32(b[4*j:]))
			if v == -1 {
				continue
			}
			if v <= last || int(v) >= c.bound {
				t.Errorf("%d of %d: entry %d is %d after %d", c.k, c.bound, j, v, last)
			}
			last, live = v, live+1
		}
		if live != min(c.k, c.bound) {
			t.Errorf("%d of %d: %d numbers", c.k, c.bound, live)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		kind dataKind
		want int // bytes; 0: zeros
	}{
		{dataKind{dtype: "f32", scale: 1}, plainWords * 16},
		{dataKind{dtype: "f16", scale: 1}, plainWords * 16},
		{dataKind{dtype: "u8"}, 0},
		{dataKind{dtype: "i32"}, 0},
		{dataKind{dtype: "q4_k", cols: 512, scale: 0.02}, 80 * 288},
		{dataKind{dtype: "q4_k", layout: "q4k_mma16_1", cols: 512, scale: 0.02}, 5 * 2 * 2304},
		{dataKind{dtype: "q8_0", layout: "q8_0_mma16_1", cols: 192, scale: 0.02}, 5 * 3 * 1088},
	} {
		data, err := c.kind.make()
		if err != nil || len(data) != c.want {
			t.Errorf("%+v: %d bytes, %v, want %d", c.kind, len(data), err, c.want)
		}
		if len(data)%16 != 0 || len(data) > 0 && bytes.Count(data, []byte{0}) > len(data)/2 {
			t.Errorf("%+v: not whole words of random bytes", c.kind)
		}
	}
	if _, err := (dataKind{dtype: "q9_9", cols: 256}).make(); err == nil {
		t.Error("an unknown type has a pattern")
	}
	if _, err := (dataKind{dtype: "q4_k", layout: "nosuch", cols: 256, scale: 0.02}).make(); err == nil {
		t.Error("an unknown layout has a pattern")
	}
	ones, _ := dataKind{dtype: "f32"}.make()
	if getF(ones, 0) != 1 || getF(ones, 1000) != 1 {
		t.Error("vectors of weights are not ones")
	}
}

// Weights that are made up fill the const region, and a run works on them.
func TestMadeUpWeights(t *testing.T) {
	f := newFake()
	d, err := load(context.Background(), f, toyPlan(t), nil, Options{MadeUp: true})
	if err != nil {
		t.Fatal(err)
	}
	embd, err := d.Buffer("embd")
	if err != nil || slices.Equal(embd[:16], make([]byte, 16)) || slices.Equal(embd[len(embd)-16:], make([]byte, 16)) {
		t.Errorf("weights are not made up: %v", err)
	}
	generate(t, d, []int32{9, 3}, 3)
	if err := d.MakeUpState(context.Background(), 12); err != nil || d.Pos() != 12 {
		t.Errorf("made-up state: position %d, %v", d.Pos(), err)
	}
	kv, err := d.Buffer("kv")
	if err != nil || getF(kv, 0) == 0 || getF(kv, 11*toyWidth) == 0 {
		t.Errorf("the cache is not made up: %v", err)
	}
	if err := d.MakeUpState(context.Background(), toyCtx+1); err == nil {
		t.Error("more rows than the cache has")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestTimeLaunches(t *testing.T) {
	d, f := loadFake(t, toyPlan(t), Options{})
	prompt := []int32{9, 3, 60}
	got := generate(t, d, prompt, 2)
	at := d.Pos()
	took, err := d.TimeLaunches(context.Background(), 0, 1, []int32{1, 3})
	if err != nil || took.Micros != 20 || d.Pos() != at {
		t.Errorf("%+v at position %d: %v; want 20 us at %d", took, d.Pos(), err, at)
	}
	if g := f.graphs[len(f.graphs)-1]; len(g.nodes) != 2 || g.nodes[0].launch != 1 || g.nodes[1].launch != 3 {
		t.Errorf("the graph has other nodes: %+v", g.nodes)
	}
	checkToy(t, d, prompt, got)
	for _, wrong := range [][]int32{{7}, {0, 99}} {
		if _, err := d.TimeLaunches(context.Background(), 0, 1, wrong); err == nil {
			t.Errorf("launches %v of another entry are timed", wrong)
		}
	}
	if _, err := d.TimeLaunches(context.Background(), 5, 1, nil); err == nil {
		t.Error("an entry that is not there is timed")
	}
}
