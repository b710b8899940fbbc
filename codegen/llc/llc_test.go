package llc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dsac/codegen"
)

func TestParseVersion(t *testing.T) {
	out := func(version, targets string) string {
		return "Ubuntu LLVM version " + version + "\n  Optimized build.\n\n  Registered Targets:\n    " + targets + "\n"
	}
	for _, c := range []struct {
		out, want string // want: of the error, "" when accepted
		major     int
	}{
		{out("14.0.6", "nvptx64 - NVIDIA PTX 64-bit"), "", 14},
		{out("19.1.7", "nvptx64 - NVIDIA PTX 64-bit"), "", 19},
		{out("13.0.1", "nvptx64 - NVIDIA PTX 64-bit"), "is LLVM 13.0.1, want 14 to 19", 0},
		{out("20.1.0", "nvptx64 - NVIDIA PTX 64-bit"), "is LLVM 20.1.0, want 14 to 19", 0},
		{out("15.0.7", "x86-64 - 64-bit X86"), "built without the nvptx64 target", 0},
		{"something else", "does not say its LLVM version", 0},
	} {
		tool, err := parseVersion("llc", c.out)
		if c.want == "" && (err != nil || tool.Major != c.major) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %+v, %v, want %q", tool, err, c.want)
		}
	}
}

// fake puts an llc into a folder that counts its runs.
func fake(t *testing.T, version, ptx string) (path, count string) {
	t.Helper()
	dir := t.TempDir()
	path, count = filepath.Join(dir, "llc"), filepath.Join(dir, "runs")
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'LLVM version %s'; echo nvptx64; exit; fi\necho run >> %s\ncat > /dev/null\nprintf '%s'\n", version, count, ptx)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, count
}

func TestFindSaysWhatToDo(t *testing.T) {
	t.Setenv("DSAC_LLC", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(); !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "apt install llvm") {
		t.Errorf("got %v", err)
	}
	old, _ := fake(t, "12.0.1", "")
	t.Setenv("PATH", filepath.Dir(old)+":/bin:/usr/bin")
	t.Setenv("DSAC_LLC", old)
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "DSAC_LLC") || !strings.Contains(err.Error(), "want 14 to 19") {
		t.Errorf("got %v", err)
	}
}

func TestCompileRunsOnce(t *testing.T) {
	t.Setenv("DSAC_CACHE", t.TempDir())
	path, count := fake(t, "15.0.7", `//\n.version 7.5\n.target sm_80\n.address_size 64\n\t// begin inline asm\n\tmov.u32 a, b; // kept\n//\n`)
	tool, err := Probe(path)
	if err != nil {
		t.Fatal(err)
	}
	get := func(ir, target, version string) string {
		g, err := codegen.FindTarget(target)
		if err != nil {
			t.Fatal(err)
		}
		out, err := tool.Compile(ir, g, version)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, c := range []struct{ ir, target, dsac, want string }{
		{"a", "sm_120", "1", ".version 8.7\n.target sm_120\n"},
		{"a", "sm_120", "1", ".version 8.7\n.target sm_120\n"},
		{"b", "sm_120", "1", ".version 8.7\n.target sm_120\n"},
		{"a", "sm_80", "1", ".version 7.5\n.target sm_80\n"},
		{"a", "sm_120", "2", ".version 8.7\n.target sm_120\n"},
	} {
		if got := get(c.ir, c.target, c.dsac); !strings.Contains(got, c.want) || !strings.HasSuffix(got, "\n.address_size 64\n\tmov.u32 a, b; // kept\n") {
			t.Errorf("%+v: got %q", c, got)
		}
	}
	runs, err := os.ReadFile(count)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(runs), "run"); got != 4 {
		t.Errorf("llc ran %d times, want 4", got)
	}
}

func TestCompileReportsErrors(t *testing.T) {
	t.Setenv("DSAC_CACHE", t.TempDir())
	g, err := codegen.FindTarget("sm_90")
	if err != nil {
		t.Fatal(err)
	}
	path, _ := fake(t, "16.0.0", "no header")
	tool, err := Probe(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Compile("x", g, "1"); err == nil || !strings.Contains(err.Error(), ".version") {
		t.Errorf("got %v", err)
	}
	for _, tool := range All() {
		if _, err := tool.Compile("define void @f( {", g, "1"); err == nil || !strings.Contains(err.Error(), "llc "+tool.Version) || !strings.Contains(err.Error(), "expected type") {
			t.Errorf("got %v", err)
		}
	}
}
