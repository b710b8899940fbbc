package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/passes"
	"dsac/runtime/gguf"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// The host must agree with the reference to this, on every prompt.
const goldenTol = 5e-5

// goldenFiles lists model files with a reference: in the repo, and in the wider set.
var goldenFiles = []struct{ dir, file, ref string }{
	{"tiny", "bf16.gguf", ""}, {"tiny", "q8_0.gguf", ""}, {"tiny", "q4_0.gguf", ""}, {"tiny", "q4_k_m.gguf", ""},
	{"tiny", "q5_k_m.gguf", ""}, {"tiny", "q6_k.gguf", ""}, {"tiny", "q3_k_m.gguf", ""}, {"tiny", "q2_k.gguf", ""},
	{"tiny", "iq4_xs.gguf", ""}, {"tiny", "iq4_nl.gguf", ""}, {"tiny", "mxfp4_moe.gguf", ""},
	{"realdims", "q8_0.gguf", ""}, {"realdims", "q4_k_m.gguf", ""},
	{"shared", "q8_0.gguf", ""}, {"shared", "q4_k_m.gguf", ""},
	{"calm", "q8_0.gguf", ""}, {"calm", "q4_k_m.gguf", ""},
	{"edge", "q8_0.gguf", ""}, {"edge", "public-00001-of-00003.gguf", "q8_0"},
}

// goldenPath finds a golden file: the repo's own copy first.
func goldenPath(t testing.TB, dir, name string) string {
	local := filepath.Join(fixture.Root(), "testdata", "golden", dir, name)
	if _, err := os.Stat(local); err == nil {
		return local
	}
	return fixture.Golden(t, dir, name)
}

// bench is a compiled model on the host device.
type bench struct {
	*session
	ref map[string]fixture.Tensor
}

func compileGolden(t testing.TB, path string, change func(*passes.Options)) *plan.Plan {
	t.Helper()
	m, err := openModel(path, "", 1024)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	opt := passes.Options{Target: "host", Ctx: m.ctx, Chunk: 1024, KV: "f32", AllRows: true, Version: "test"}
	if change != nil {
		change(&opt)
	}
	p, err := m.compile(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func loadPlan(t testing.TB, p *plan.Plan, path string, opt host.Options) *session {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := host.Load(p, host.File(f), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close(); f.Close() })
	return &session{plan: p, file: f, dev: d}
}

func openGolden(t testing.TB, dir, file, ref string, change func(*passes.Options), opt host.Options) *bench {
	t.Helper()
	path := goldenPath(t, dir, file)
	if ref == "" {
		ref = strings.TrimSuffix(file, ".gguf")
	}
	b := &bench{ref: fixture.Safetensors(t, goldenPath(t, dir, ref+".golden.safetensors"))}
	b.session = loadPlan(t, compileGolden(t, path, change), path, opt)
	return b
}

// logits runs ids from an empty cache and returns the last rows of logits.
func (b *bench) logits(t testing.TB, ids []int32, chunk, rows int) []float32 {
	t.Helper()
	b.dev.Reset()
	var all []float32
	err := b.feed(context.Background(), ids, chunk, allRows, nil, func(entry, n int) error {
		for r := range n {
			all = append(all, b.dev.Logits(entry, r)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	vocab := len(all) / len(ids)
	return all[len(all)-rows*vocab:]
}

func maxDiff(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if !(d <= worst) {
			worst = d
		}
	}
	return worst
}

func TestGolden(t *testing.T) {
	for _, g := range goldenFiles {
		t.Run(g.dir+"/"+strings.TrimSuffix(g.file, ".gguf"), func(t *testing.T) {
			b := openGolden(t, g.dir, g.file, g.ref, nil, host.Options{})
			b.checkLogits(t)
			b.checkLists(t)
			b.checkGreedy(t)
		})
	}
}

func (b *bench) checkLogits(t *testing.T) {
	for k := 0; ; k++ {
		ids, ok := b.ref[fmt.Sprintf("ids_%d", k)]
		if !ok {
			return
		}
		want := b.ref[fmt.Sprintf("logits_%d", k)]
		got := b.logits(t, ids.I32, 1024, want.Shape[0])
		if d := maxDiff(got, want.F32); !(d <= goldenTol) {
			t.Errorf("prompt %d of %d tokens: logits differ by %.3g, want at most %.0e", k, len(ids.I32), d, goldenTol)
		}
		if n := len(ids.I32); n != 64 && n != 300 {
			continue
		}
		for _, chunk := range []int{7, 1} {
			if d := maxDiff(b.logits(t, ids.I32, chunk, want.Shape[0]), got); !(d <= goldenTol) {
				t.Errorf("prompt of %d tokens in chunks of %d: logits differ by %.3g from one chunk", len(ids.I32), chunk, d)
			}
		}
	}
}

// checkLists compares the choices of the full layers on prompts 1 and 2.
func (b *bench) checkLists(t *testing.T) {
	lists := 0
	for name, want := range b.ref {
		var k, layer int
		if n, _ := fmt.Sscanf(name, "topk_%d_%d", &k, &layer); n != 2 {
			continue
		}
		lists++
		ids := b.ref[fmt.Sprintf("ids_%d", k)].I32
		got := b.list(t, ids, layer)
		cols := want.Shape[1]
		for row := range want.Shape[0] {
			w := sortedList(want.I32[row*cols:][:cols])
			g := sortedList(got[row*len(got)/len(ids):][:len(got)/len(ids)])
			if !slices.Equal(w, g) {
				t.Errorf("prompt %d, layer %d, row %d: chosen %v, want %v", k, layer, row, g, w)
			}
		}
	}
	if lists == 0 {
		t.Error("the reference holds no lists")
	}
}

// list runs ids in one step and returns the choice of a layer, taken right after its op.
func (b *bench) list(t *testing.T, ids []int32, layer int) []int32 {
	t.Helper()
	b.dev.Reset()
	e, err := b.dev.EntryFor(len(ids), allRows)
	if err != nil {
		t.Fatal(err)
	}
	var out []int32
	steps := b.plan.Entries[e].Steps
	b.dev.Observe(nil, func(i int32) error {
		s := &b.plan.Steps[i]
		if l, _ := b.plan.IntAttr(s.Attrs, "layer"); i < int32(steps.Off) || b.plan.Str(s.Op) != "index_topk" || int(l) != layer {
			return nil
		}
		for _, o := range b.plan.Ops(s) {
			if o.Effect == plan.W {
				width := int(b.plan.Bufs[o.Buf].Shape[1])
				out = append(out, int32s(b.dev.BufferAt(o.Buf))[:len(ids)*width]...)
			}
		}
		return nil
	})
	defer b.dev.Observe(nil, nil)
	copy(b.dev.IDs(), ids)
	if err := b.dev.Run(e, len(ids)); err != nil {
		t.Fatal(err)
	}
	return out
}

func int32s(b []byte) []int32 {
	out := make([]int32, len(b)/4)
	for i := range out {
		out[i] = int32(uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24)
	}
	return out
}

func sortedList(l []int32) []int32 {
	l = slices.DeleteFunc(slices.Clone(l), func(p int32) bool { return p < 0 })
	slices.Sort(l)
	return l
}

func (b *bench) checkGreedy(t *testing.T) {
	prompt, want := b.ref["greedy_prompt"].I32, b.ref["greedy"].I32
	if len(want) != 24 {
		t.Fatalf("the reference has %d greedy tokens", len(want))
	}
	b.dev.Reset()
	if err := b.feed(context.Background(), prompt, 1024, b.isPrefill, nil, func(int, int) error { return nil }); err != nil {
		t.Fatal(err)
	}
	e, err := b.dev.EntryFor(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := []int32{b.dev.Token()}
	for len(got) < len(want) {
		if err := b.dev.Run(e, 1); err != nil {
			t.Fatal(err)
		}
		got = append(got, b.dev.Token())
	}
	if !slices.Equal(got, want) {
		t.Errorf("greedy tokens\ngot  %v\nwant %v", got, want)
	}
}
