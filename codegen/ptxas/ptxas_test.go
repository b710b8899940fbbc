package ptxas

import (
	"errors"
	"strings"
	"testing"

	"dsac/codegen"
)

func TestParseVersion(t *testing.T) {
	line := func(v string) string {
		return "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release X, V" + v + "\n"
	}
	for _, c := range []struct{ out, want string }{
		{line("12.8.93"), ""}, {line("13.1.80"), ""}, {line("13.3.10"), ""},
		{line("13.2.51"), "is of CUDA 13.2, which miscompiles"},
		{"nothing", "does not say its version"},
	} {
		_, err := parseVersion("ptxas", c.out)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestParseUsage(t *testing.T) {
	got := parseUsage(`ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'one' for 'sm_120'
ptxas info    : Function properties for one
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers, used 1 barriers, 48 bytes smem
ptxas info    : Compiling entry function 'two' for 'sm_120'
ptxas info    : Function properties for two
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
`)
	want := map[string]Usage{
		"one": {Registers: 18, Shared: 48},
		"two": {Registers: 255, Stack: 16, SpillStore: 8, SpillLoad: 12},
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: got %+v, want %+v", name, got[name], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

func TestOldPtxasIsRefused(t *testing.T) {
	g, err := codegen.FindTarget("sm_120")
	if err != nil {
		t.Fatal(err)
	}
	old := &Tool{Version: "12.4.1", Major: 12, Minor: 4}
	if _, err := old.Assemble("", g); err == nil || !strings.Contains(err.Error(), "ptxas 12.4.1 does not know sm_120: CUDA 12.8 or newer is needed") {
		t.Errorf("got %v", err)
	}
}

func TestAssemble(t *testing.T) {
	tool, err := Find()
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DSAC_CACHE", t.TempDir())
	g, err := codegen.FindTarget("sm_90")
	if err != nil {
		t.Fatal(err)
	}
	text := ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
	for range 2 { // the second time from the cache
		r, err := tool.Assemble(text, g)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Cubin) < 100 || string(r.Cubin[1:4]) != "ELF" || r.Usage["k"].Registers == 0 {
			t.Errorf("got %d bytes, %+v", len(r.Cubin), r.Usage)
		}
	}
	if _, err := tool.Assemble(strings.Replace(text, "ret;", "nonsense;", 1), g); err == nil || !strings.Contains(err.Error(), "kernels.ptx") {
		t.Errorf("got %v", err)
	}
}
