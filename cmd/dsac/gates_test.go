package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"dsac/internal/fixture"
	"dsac/passes"
	"dsac/runtime/host"
	"dsac/runtime/plan"
)

// slack is how far a gate lies from the figure that is meant: a busy machine must not fail
// it, a change of the way in which time grows must.
const slack = 3

// The full GLM-5.2 header: 2 s and 512 MB.
func TestGateCompile(t *testing.T) {
	fixture.Timed(t)
	gguf, out := header(t, "glm-5.2"), filepath.Join(t.TempDir(), "m.plan")
	var peak uint64
	took := fixture.Best(2, slack*2*time.Second, func() {
		peak = peakOf(t, "compile", gguf, "--ctx", "131072", "--chunk", "2048", "-o", out)
	})
	t.Logf("compiled in %v with %d MB", took, peak>>20)
	if took > slack*2*time.Second {
		t.Errorf("compiled in %v, want at most 2 s (gate at %d times that)", took, slack)
	}
	if peak > 512<<20 {
		t.Errorf("the compile had %d MB at its peak, want at most 512", peak>>20)
	}
	var p *plan.Mapped
	took = fixture.Best(5, slack*10*time.Millisecond, func() {
		var err error
		if p, err = plan.Open(out); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("loaded the plan in %v", took)
	if took > slack*10*time.Millisecond {
		t.Errorf("the plan loads in %v, want at most 10 ms (gate at %d times that)", took, slack)
	}
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf runs dsac in a process of its own and returns the most memory that it had resident,
// in bytes.
func peakOf(t *testing.T, args ...string) uint64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is read from /proc")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := (&exec.Cmd{Path: self, Args: append([]string{"dsac-peak"}, args...)}).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := peakLine.FindSubmatch(out)
	if m == nil {
		t.Fatalf("no peak in %q", out)
	}
	kb, err := strconv.ParseUint(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

// mainPeak is dsac followed by the status of its process.
func mainPeak() {
	if err := newRoot().Execute(); err != nil {
		os.Exit(exitError)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		os.Exit(exitError)
	}
	os.Stdout.Write(status)
}

// Real plans are as high as the bytes that live at once, and are placed in under 100 ms each.
func TestGatePlanner(t *testing.T) {
	fixture.Timed(t)
	m, err := openModel(header(t, "glm-5.2"), "", 131072)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, chunk := range []int{16, 512, 2048} {
		opt := passes.Options{Target: "host", Ctx: m.ctx, Chunk: chunk, KV: "f32", Version: "test"}
		entries := 0
		last := time.Now()
		opt.Observe = func(pass string, u *passes.Unit) error {
			took := time.Since(last)
			if pass == "offsets" {
				entries++
				if u.Height != u.Peak || u.Height == 0 {
					t.Errorf("%s: arena of %d bytes, %d live at once", u.Entry.Name, u.Height, u.Peak)
				}
				if took > slack*100*time.Millisecond {
					t.Errorf("%s: placed in %v, want at most 100 ms (gate at %d times that)", u.Entry.Name, took, slack)
				}
				t.Logf("%s: %d bytes, ratio %.3f, %v", u.Entry.Name, u.Height, float64(u.Height)/float64(u.Peak), took)
			}
			last = time.Now()
			return nil
		}
		if _, err := m.compile(context.Background(), opt); err != nil {
			t.Fatal(err)
		}
		if entries < 5 {
			t.Errorf("chunk %d: %d entries", chunk, entries)
		}
	}
}

// Tokens per second of the host on two cores.
func TestGateSpeed(t *testing.T) {
	for _, tc := range []struct {
		dir, file string
		prompt    string // of the reference; fed in one step
		decode    bool
		want      float64 // tok/s
	}{
		{"tiny", "q4_k_m", "ids_2", true, 200},
		{"realdims", "q4_k_m", "ids_2", true, 80},
		{"calm", "q4_k_m", "ids_5", false, 400},
	} {
		t.Run(tc.dir, func(t *testing.T) {
			fixture.Timed(t)
			b := openGolden(t, tc.dir, tc.file+".gguf", "", func(o *passes.Options) { o.AllRows = false }, host.Options{Workers: 2})
			ids := b.ref[tc.prompt].I32
			tokens := len(ids)
			step := func() { b.prefillAll(t, ids) }
			if tc.decode {
				step()
				tokens, step = 32, func() { b.decodeSome(t, 32) }
			}
			gate := time.Duration(slack * float64(tokens) / tc.want * float64(time.Second))
			took := fixture.Best(3, gate, step)
			got := float64(tokens) / took.Seconds()
			t.Logf("%.0f tok/s", got)
			if got < tc.want/slack {
				t.Errorf("%.0f tok/s, want at least %.0f (gate at a third)", got, tc.want)
			}
		})
	}
}

func (b *bench) prefillAll(t *testing.T, ids []int32) {
	b.dev.Reset()
	if err := b.feed(context.Background(), ids, 1024, b.isPrefill, nil, func(int, int) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) decodeSome(t *testing.T, n int) {
	e, err := b.dev.EntryFor(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		if err := b.dev.Run(e, 1); err != nil {
			t.Fatal(err)
		}
	}
}
