package cuda

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// loadFake loads the toy on a fake driver, which is checked for leaks at the end.
func loadFake(t testing.TB, p *plan.Plan, opt Options) (*Device, *fake) {
	t.Helper()
	f := newFake()
	return loadOn(t, f, p, opt), f
}

func loadOn(t testing.TB, f *fake, p *plan.Plan, opt Options) *Device {
	t.Helper()
	w, _ := toyWeights()
	d, err := load(context.Background(), f, p, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// generate feeds a prompt by entry prefill and draws tokens by entry decode.
func generate(t testing.TB, d *Device, prompt []int32, tokens int) []int32 {
	t.Helper()
	copy(d.IDs(), prompt)
	if err := d.Run(1, len(prompt)); err != nil {
		t.Fatal(err)
	}
	out := []int32{d.Token()}
	for len(out) < tokens {
		if err := d.Run(0, 1); err != nil {
			t.Fatal(err)
		}
		out = append(out, d.Token())
	}
	return out
}

// checkToy compares what the device did with the model in plain Go.
func checkToy(t *testing.T, d *Device, prompt, got []int32) {
	t.Helper()
	_, embd := toyWeights()
	m := toyModel{embd: embd}
	want := []int32{m.step(prompt...)}
	for len(want) < len(got) {
		want = append(want, m.step(want[len(want)-1]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("tokens %v, want %v", got, want)
	}
	if n := len(prompt) + len(got) - 1; d.Pos() != n {
		t.Errorf("position %d, want %d", d.Pos(), n)
	}
	kv, err := d.Buffer("kv")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range m.kv {
		if getF(kv, i) != v {
			t.Fatalf("cache row %d, value %d is %v, want %v", i/toyWidth, i%toyWidth, getF(kv, i), v)
		}
	}
	hist, err := d.Buffer("hist")
	if err != nil {
		t.Fatal(err)
	}
	for id, n := range m.hist {
		if got := int(le.Uint32(hist[4*id:])); got != n {
			t.Errorf("token %d was counted %d times, want %d", id, got, n)
		}
	}
	row := d.Logits(0, 0)
	if want := m.logits(got[len(got)-2]); !slices.Equal(row, want) {
		t.Errorf("logits %v, want %v", row[:4], want[:4])
	}
}

var toyPrompt = []int32{5, 63, 0}

func TestGenerate(t *testing.T) {
	for _, opt := range []struct {
		name string
		Options
	}{{"graph", Options{}}, {"steps", Options{Steps: true}}} {
		t.Run(opt.name, func(t *testing.T) {
			d, _ := loadFake(t, toyPlan(t), opt.Options)
			for range 3 { // random orders of the graph
				d.Reset()
				got := generate(t, d, toyPrompt, 8)
				checkToy(t, d, toyPrompt, got)
			}
		})
	}
}

func TestDecodeSendsNothing(t *testing.T) {
	d, f := loadFake(t, toyPlan(t), Options{})
	generate(t, d, toyPrompt, 2)
	before := f.writes
	for range 5 {
		if err := d.Run(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	if f.writes != before {
		t.Errorf("five decode steps copied %d times to the GPU, want 0", f.writes-before)
	}
	d.IDs()[0]++
	if err := d.Run(0, 1); err != nil {
		t.Fatal(err)
	}
	if f.writes != before+1 {
		t.Errorf("a changed id was copied %d times, want 1", f.writes-before)
	}
}

func TestHooksSeeEveryStep(t *testing.T) {
	var before, after []string
	p := toyPlan(t)
	note := func(to *[]string) func(int32) error {
		return func(s int32) error { *to = append(*to, p.Str(p.Steps[s].Name)); return nil }
	}
	d, _ := loadFake(t, p, Options{Before: note(&before), After: note(&after)})
	if err := d.Run(0, 1); err != nil {
		t.Fatal(err)
	}
	want := []string{"x", "a", "kv", "y", "sample", "advance"}
	if !slices.Equal(before, want) || !slices.Equal(after, want) {
		t.Errorf("before %v, after %v, want %v", before, after, want)
	}
}

func TestMaskAndSeen(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	first := generate(t, d, toyPrompt, 1)[0]
	d.Reset()
	if err := d.Mask(int(first), int(first)+1); err != nil {
		t.Fatal(err)
	}
	if err := d.Seen(7, 7, 9); err != nil {
		t.Fatal(err)
	}
	if got := generate(t, d, toyPrompt, 1)[0]; got == first {
		t.Errorf("token %d was drawn though masked", got)
	}
	hist, err := d.Buffer("hist")
	if err != nil {
		t.Fatal(err)
	}
	if got := le.Uint32(hist[4*7:]); got != 2 {
		t.Errorf("id 7 counted %d times, want 2", got)
	}
	if err := d.Mask(0, toyVocab+1); err == nil {
		t.Error("a mask past the vocabulary was taken")
	}
	if err := d.Seen(toyVocab); err == nil {
		t.Error("an id past the vocabulary was counted")
	}
	if err := d.SetParams(sample.Params{Temperature: -1}); err == nil {
		t.Error("a negative temperature was taken")
	}
}

func TestRewindAndFull(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	generate(t, d, toyPrompt, 1)
	for d.Pos() < toyCtx {
		if err := d.Run(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	err := d.Run(0, 1)
	if err == nil || !strings.Contains(err.Error(), "context is full") {
		t.Errorf("a step past the context gave %v", err)
	}
	if err := d.Rewind(3); err != nil {
		t.Fatal(err)
	}
	if err := d.Run(0, 1); err != nil || d.Pos() != 4 {
		t.Errorf("after a rewind to 3 and a step: position %d, error %v", d.Pos(), err)
	}
	if err := d.Rewind(9); err == nil {
		t.Error("a rewind forward was taken")
	}
}

func TestBadRuns(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	for _, c := range []struct {
		name     string
		entry, n int
		id       int32
		want     string
	}{
		{"no such entry", 2, 1, 0, "entry 2 of a plan with 2"},
		{"no rows", 0, 0, 0, "0 rows in an entry for 1 to 1"},
		{"too many rows", 1, 5, 0, "5 rows in an entry for 1 to 4"},
		{"negative id", 0, 1, -1, "token id -1 at row 0 is outside the vocabulary of 64"},
		{"large id", 0, 1, 64, "token id 64 at row 0 is outside the vocabulary of 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.IDs()[0] = c.id
			err := d.Run(c.entry, c.n)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestFaultNamesTheStep(t *testing.T) {
	fault := &Error{"cuStreamQuery", codeIllegalAddr, "CUDA_ERROR_ILLEGAL_ADDRESS", ""}
	for _, c := range []struct {
		name string
		opt  Options
		want string
	}{
		{"graph", Options{}, "GPU 0 (Fake, sm_90) failed in a launch of entry decode: cuStreamQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700)"},
		{"steps", Options{Steps: true}, "GPU 0 (Fake, sm_90) failed in entry decode, step y (add), kernel add: cuStreamQuery"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake()
			w, _ := toyWeights()
			d, err := load(context.Background(), f, toyPlan(t), w, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			f.fault = fault
			err = d.Run(0, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, fault) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if again := d.Run(0, 1); again == nil {
				t.Error("the device ran on after a fault")
			}
			f.broken = nil
			_ = d.Close()
		})
	}
}

func TestCancelReturnsAtOnce(t *testing.T) {
	d, f := loadFake(t, toyPlan(t), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f.pending = 1 << 30
	if err := d.RunContext(ctx, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	f.pending = 3 // the run ends while the next one waits for it
	if err := d.Run(0, 1); err != nil {
		t.Error(err)
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	p := toyPlan(t)
	setMeta(p, plan.MetaCtx, "1000000")
	d, f := loadFake(t, p, Options{})
	f.quiet = true
	if err := d.Run(0, 1); err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(100, func() {
		if err := d.Run(0, 1); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("a run allocates %v times, want 0", n)
	}
}

// The toy survives a delay of any launch; without an edge, some delay shows it on a GPU. Here
// the graph is run in random orders, which shows the same.
func TestDelaysChangeNothing(t *testing.T) {
	d, _ := loadFake(t, toyPlan(t), Options{})
	want := generate(t, d, toyPrompt, 1)[0]
	for l := range d.plan.Launches {
		d.Reset()
		copy(d.IDs(), toyPrompt)
		err := d.RunDelayed(context.Background(), 1, len(toyPrompt), int32(l))
		if mine := d.plan.Launches[l].Entry == 1; mine != (err == nil) {
			t.Fatalf("launch %d: %v", l, err)
		}
		if err == nil && d.Token() != want {
			t.Errorf("launch %d delayed: token %d, want %d", l, d.Token(), want)
		}
	}
	g := d.delayed(d.entries[1].graph, 3)
	if got := len(g.nodes); got != len(d.entries[1].graph.nodes)+1 {
		t.Errorf("%d nodes with a delay", got)
	}
	for _, from := range []int32{1, 2} {
		if !path(g, from, int32(len(g.nodes)-1)) || !path(g, int32(len(g.nodes)-1), 3) {
			t.Errorf("the delay is not between nodes %d and 3", from)
		}
	}
}
