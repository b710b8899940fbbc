package host

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/sample"
)

// tinyModel is a golden file that is always there.
func tinyModel(t testing.TB) string { return fixture.Path(t, "golden", "tiny", "q4_k_m.gguf") }

func tinyIDs(t testing.TB, name string) []int32 {
	return fixture.Safetensors(t, fixture.Path(t, "golden", "tiny", "q4_k_m.golden.safetensors"))[name].I32
}

// prefill runs ids in chunks through entry e and returns the logits of every row.
func prefill(t testing.TB, d *Device, e, chunk int, ids []int32) []float32 {
	t.Helper()
	var all []float32
	for at := 0; at < len(ids); at += chunk {
		n := copy(d.IDs()[:chunk], ids[at:])
		if err := d.Run(e, n); err != nil {
			t.Fatal(err)
		}
		for r := range n {
			all = append(all, d.Logits(e, r)...)
		}
	}
	return all
}

// TestStepAllocatesNothing: no byte of heap per step once warm.
func TestStepAllocatesNothing(t *testing.T) {
	for _, workers := range []int{1, 3} {
		d := openGLM(t, tinyModel(t), "f32", 256, Options{Workers: workers}, [2]int{1, 1}, [2]int{16, 1})
		ids := tinyIDs(t, "ids_3")
		for e, n := range []int{1, 16} {
			run := func() {
				copy(d.IDs(), ids[:n])
				if d.Pos() > 200 {
					if err := d.Rewind(8); err != nil {
						t.Fatal(err)
					}
				}
				if err := d.Run(e, n); err != nil {
					t.Fatal(err)
				}
			}
			run()
			if got := testing.AllocsPerRun(20, run); got != 0 {
				t.Errorf("%d workers, %d rows: got %v allocations per step, want 0", workers, n, got)
			}
		}
	}
}

// TestResultsDoNotDependOnSplitting: chunks, token by token, number of workers and cache
// position in a larger entry give the same bits.
func TestResultsDoNotDependOnSplitting(t *testing.T) {
	ids := tinyIDs(t, "ids_3")
	for _, kv := range []string{"f32", "f16"} {
		var want []float32
		for _, c := range []struct{ workers, rows, chunk int }{{1, 64, 64}, {4, 64, 64}, {2, 64, 7}, {2, 1, 1}, {3, 16, 16}} {
			d := openGLM(t, tinyModel(t), kv, 128, Options{Workers: c.workers}, [2]int{c.rows, c.rows})
			got := prefill(t, d, 0, c.chunk, ids)
			if want == nil {
				want = got
				continue
			}
			if !slices.Equal(got, want) {
				t.Errorf("kv %s, %d workers, chunks of %d: logits differ from one chunk's", kv, c.workers, c.chunk)
			}
		}
	}
}

// TestGreedyTokens follows the golden file for 24 tokens, fed by the device itself.
func TestGreedyTokens(t *testing.T) {
	d := openGLM(t, tinyModel(t), "f32", 128, Options{}, [2]int{1, 1}, [2]int{64, 1})
	prompt, want := tinyIDs(t, "greedy_prompt"), tinyIDs(t, "greedy")
	copy(d.IDs(), prompt)
	if err := d.Run(1, len(prompt)); err != nil {
		t.Fatal(err)
	}
	var got []int32
	for range want {
		got = append(got, d.Token())
		if d.IDs()[0] != d.Token() {
			t.Fatalf("next input is %d, the token drawn %d", d.IDs()[0], d.Token())
		}
		if err := d.Run(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := d.Pos(), len(prompt)+len(want); got != want {
		t.Errorf("position: got %d, want %d", got, want)
	}
}

func TestSamplingFollowsParameters(t *testing.T) {
	d := openGLM(t, tinyModel(t), "f32", 64, Options{}, [2]int{8, 1})
	ids := tinyIDs(t, "ids_1")
	draw := func() int32 {
		t.Helper()
		if err := d.Rewind(0); err != nil {
			t.Fatal(err)
		}
		copy(d.IDs(), ids)
		if err := d.Run(0, len(ids)); err != nil {
			t.Fatal(err)
		}
		return d.Token()
	}
	greedy := draw()
	if err := d.Mask(int(greedy), int(greedy)+1); err != nil {
		t.Fatal(err)
	}
	if got := draw(); got == greedy {
		t.Errorf("masked token %d was drawn", got)
	}
	p := sample.Params{Temperature: 5, TopP: 1, Repeat: 1, Seed: 7}
	seen := map[int32]bool{}
	for p.Seed = range 8 {
		if err := d.SetParams(p); err != nil {
			t.Fatal(err)
		}
		a := draw()
		if b := draw(); a != b {
			t.Errorf("seed %d gave %d, then %d", p.Seed, a, b)
		}
		seen[a] = true
	}
	if len(seen) < 3 {
		t.Errorf("8 seeds at temperature 5 gave only %d tokens", len(seen))
	}
	// Plans have 32 bits for top-k: more than they hold is all, not the lower bits of it.
	var all int32
	for _, p.TopK = range []int{0, math.MaxInt32 + 1, 1<<32 + 1} {
		if err := d.SetParams(p); err != nil {
			t.Fatal(err)
		}
		if got := draw(); p.TopK == 0 {
			all = got
		} else if got != all {
			t.Errorf("top-k %d gave %d, all ids give %d", p.TopK, got, all)
		}
	}
	if err := d.Seen(3, 1024); err == nil {
		t.Error("an id outside the vocabulary was counted")
	}
	if d.inputs.hist[3] != 0 {
		t.Error("ids were counted although one of them was wrong")
	}
	if err := d.Seen(3, 3); err != nil || d.inputs.hist[3] != 2 {
		t.Errorf("two occurrences of 3: %v, counted %d", err, d.inputs.hist[3])
	}
	p.TopP = 2
	if err := d.SetParams(p); err == nil {
		t.Error("top-p 2 was taken")
	}
}

func TestRunErrors(t *testing.T) {
	d := openGLM(t, tinyModel(t), "f32", 32, Options{}, [2]int{8, 1})
	ids := d.IDs()
	for _, c := range []struct {
		name  string
		entry int
		n     int
		id    int32
		pos   int
		want  string
	}{
		{"no rows", 0, 0, 1, 0, "0 rows in an entry for 1 to 8"},
		{"too many rows", 0, 9, 1, 0, "9 rows in an entry for 1 to 8"},
		{"unknown entry", 1, 1, 1, 0, "entry 1 of a plan with 1"},
		{"negative id", 0, 2, -1, 0, "token id -1 at row 1 is outside the vocabulary of 1024"},
		{"id past the vocabulary", 0, 2, 1024, 0, "token id 1024 at row 1 is outside the vocabulary of 1024"},
		{"full context", 0, 2, 1, 31, "context is full: 2 rows after 31 positions, the plan has room for 32"},
	} {
		if err := d.RandomState(1, c.pos); err != nil {
			t.Fatal(err)
		}
		ids[0], ids[1] = 1, c.id
		err := d.Run(c.entry, c.n)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ids[1] = 1
	if err := d.RandomState(1, 0); err != nil {
		t.Fatal(err)
	}
	if err := d.RunContext(ctx, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled run: got %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Run(0, 1); err == nil {
		t.Error("a closed device ran")
	}
	if err := d.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestRandomStateIsSeeded(t *testing.T) {
	read := func(seed uint64, kv string) []byte {
		d := openGLM(t, tinyModel(t), kv, 64, Options{}, [2]int{1, 1})
		if err := d.RandomState(seed, 40); err != nil {
			t.Fatal(err)
		}
		if d.Pos() != 40 {
			t.Fatalf("position %d, want 40", d.Pos())
		}
		b, err := d.Buffer("latent.1")
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(b)
	}
	a, b, c := read(1, "f32"), read(1, "f32"), read(2, "f32")
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the state does not follow the seed")
	}
	if h := read(1, "f16"); len(h)*2 != len(a) {
		t.Errorf("f16 cache of %d bytes, f32 of %d", len(h), len(a))
	}
}

// TestKVTypesAgree: 16-bit caches change the logits by their rounding only.
func TestKVTypesAgree(t *testing.T) {
	path := fixture.Golden(t, "calm", "q4_k_m.gguf")
	ids := fixture.Safetensors(t, fixture.Golden(t, "calm", "q4_k_m.golden.safetensors"))["ids_2"].I32
	run := func(kv string) []float32 {
		return prefill(t, openGLM(t, path, kv, 64, Options{}, [2]int{32, 32}), 0, 32, ids)
	}
	want := run("f32")
	for kv, tol := range map[string]float64{"f16": 1e-2, "bf16": 1e-1} {
		got, worst := run(kv), 0.0
		for i := range want {
			worst = max(worst, math.Abs(float64(got[i]-want[i])))
		}
		if worst == 0 || worst > tol {
			t.Errorf("kv %s: largest difference %.3g, want above 0 and at most %g", kv, worst, tol)
		}
	}
}

func TestHooksSeeEveryStep(t *testing.T) {
	var before, after []int32
	stop := errors.New("stop here")
	limit := -1
	opt := Options{
		Before: func(s int32) error { before = append(before, s); return nil },
		After: func(s int32) error {
			if after = append(after, s); len(after) == limit {
				return stop
			}
			return nil
		},
	}
	d := openGLM(t, tinyModel(t), "f32", 32, opt, [2]int{4, 1})
	if err := d.Run(0, 1); err != nil {
		t.Fatal(err)
	}
	if got, want := len(after), len(d.plan.Steps); got != want || !slices.Equal(before, after) {
		t.Errorf("hooks saw %d and %d steps, want %d", len(before), got, want)
	}
	before, after, limit = nil, nil, 3
	if err := d.Run(0, 1); !errors.Is(err, stop) || len(before) != 3 {
		t.Errorf("got %v after %d steps, want the hook's error after 3", err, len(before))
	}
}
