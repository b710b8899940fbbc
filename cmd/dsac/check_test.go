package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"dsac/codegen/llc"
	"dsac/internal/fixture"
	"dsac/runtime/check"
	"dsac/runtime/plan"
)

// runCommand runs dsac with arguments and returns what it prints and the exit code.
func runCommand(t *testing.T, args ...string) (printed []byte, code int) {
	t.Helper()
	cmd := newRoot()
	var out, log bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&log)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	var exit exitCode
	if errors.As(err, &exit) {
		code = int(exit)
	} else if err != nil {
		t.Fatalf("dsac %v: %v\n%s", args, err, log.String())
	}
	return out.Bytes(), code
}

// runCheck runs dsac check with arguments and returns its report and exit code.
func runCheck(t *testing.T, args ...string) (*check.Report, int) {
	t.Helper()
	out, code := runCommand(t, append([]string{"check", "--json"}, args...)...)
	r := &check.Report{}
	if err := json.Unmarshal(out, r); err != nil {
		t.Fatalf("%v in the report:\n%s", err, out)
	}
	return r, code
}

func reportText(t *testing.T, r *check.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tinyGPUPlan compiles the tiny model for sm_120 with a small context.
func tinyGPUPlan(t *testing.T) (path, model string) {
	t.Helper()
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	model = fixture.Path(t, "golden", "tiny", "q4_k_m.gguf")
	path = filepath.Join(t.TempDir(), "tiny.plan")
	cmd := newRoot()
	cmd.SetOut(&bytes.Buffer{})
	cmd.SetArgs([]string{"compile", "--target", "sm_120", "--ctx", "64", "--chunk", "32", model, "-o", path})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path, model
}

// TestCheckEmulator runs a prefill of 23 tokens and a decode step of the tiny model in the
// emulator, every step against the host, then both again from the device's own results. After
// that it plants a fault, which must be found.
func TestCheckEmulator(t *testing.T) {
	file, model := tinyGPUPlan(t)
	r, code := runCheck(t, file, "-m", model)
	t.Log(reportText(t, r))
	if code != exitOK || !r.Clean() {
		t.Errorf("exit code %d", code)
	}
	if len(r.Runs) != 2 || r.Runs[0].Rows != 23 || r.Runs[1].Rows != 1 || r.Runs[1].Pos != 23 {
		t.Fatalf("runs: %+v", r.Runs)
	}
	for _, run := range r.Runs {
		if run.Compared != run.Steps || run.Steps < 50 {
			t.Errorf("%s: %d of %d steps compared", run.Entry, run.Compared, run.Steps)
		}
	}

	r, code = runCheck(t, file, "-m", model, "--force-choices", "--no-races")
	t.Log(reportText(t, r))
	if code != exitOK {
		t.Errorf("with forced choices: exit code %d", code)
	}
	if len(r.Totals) != 2 || r.Totals[0].Rows != 1 || r.Totals[1].Rows != forcedDecode {
		t.Errorf("with forced choices, results judged of %d entries", len(r.Totals))
	}
	for _, run := range r.Runs {
		if run.NMSE == nil || *run.NMSE > 3e-5 || *run.NMSE == 0 {
			t.Errorf("%s: NMSE %v, want at most 3e-5, and not exact in 16 bits", run.Entry, run.NMSE)
		}
	}

	r, code = runCheck(t, file, "-m", model, "--free", "--no-races")
	t.Log(reportText(t, r))
	if code != exitOK {
		t.Errorf("free running: exit code %d", code)
	}
	for _, run := range r.Runs {
		if run.NMSE == nil || *run.NMSE == 0 || run.SameToken == nil || !*run.SameToken {
			t.Errorf("%s: NMSE %v, the host's token: %v", run.Entry, run.NMSE, run.SameToken)
		}
	}

	out, code := runCommand(t, "check", file, "-m", model, "--force-choices", "--no-races", "--prompt-tokens", "4", "--chunks", "2,4", "--json")
	var sizes []chunking
	if err := json.Unmarshal(out, &sizes); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if code != exitOK || len(sizes) != 2 || sizes[0].Runs != 2 || sizes[1].Runs != 1 || sizes[0].Host == 0 || sizes[1].Between != 0 || sizes[0].Itself > 1e-9 || sizes[1].Itself != 0 {
		t.Errorf("in chunks of 2 and 4: exit code %d, %+v", code, sizes)
	}

	r, code = runCheck(t, shortened(t, file), "-m", model, "--entry", "decode1", "--per-kernel", "1")
	if code != exitFindings || r.First == nil || r.First.Step != "l0.o" || r.First.Kind != check.Unwritten {
		t.Errorf("a launch without its last blocks: exit code %d, first finding %v", code, r.First)
	}
	if r.Runs[0].Compared >= r.Runs[0].Steps {
		t.Errorf("--per-kernel 1 compared %d of %d steps", r.Runs[0].Compared, r.Runs[0].Steps)
	}
}

// TestCheckFewBits runs models of the types with minima or scales for 16 columns.
func TestCheckFewBits(t *testing.T) {
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	t.Setenv("DSAC_CACHE", t.TempDir())
	for _, name := range []string{"q2_k.gguf", "q3_k_m.gguf"} {
		t.Run(name, func(t *testing.T) {
			model := fixture.Golden(t, "tiny", name)
			r, code := runCheck(t, model, "--ctx", "64", "--chunk", "32", "--no-races", "--per-kernel", "2")
			if code != exitOK || len(r.Runs) != 2 || r.Runs[0].Compared < 40 {
				t.Errorf("exit code %d:\n%s", code, reportText(t, r))
			}
		})
	}
}

// TestCheckRealDims does the same with the head sizes of the real models.
func TestCheckRealDims(t *testing.T) {
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	t.Setenv("DSAC_CACHE", t.TempDir())
	r, code := runCheck(t, fixture.Golden(t, "realdims", "q4_k_m.gguf"), "--ctx", "64", "--chunk", "32")
	if code != exitOK || len(r.Runs) != 2 || r.Runs[0].Rows != 23 || r.Runs[0].Compared != r.Runs[0].Steps {
		t.Errorf("exit code %d:\n%s", code, reportText(t, r))
	}
}

// shortened takes blocks from the launch of a step in entry decode1.
func shortened(t *testing.T, file string) string {
	t.Helper()
	m, err := plan.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	p := m.Plan.Clone()
	for i := range p.EntrySteps(&p.Entries[0]) {
		st := &p.Steps[int(p.Entries[0].Steps.Off)+i]
		if p.Str(st.Name) == "l0.o" {
			l := &p.Launches[st.Launch]
			if l.Grid[1] < 2 {
				t.Fatalf("its grid is %v", l.Grid)
			}
			l.Grid[1]--
		}
	}
	out := filepath.Join(t.TempDir(), "short.plan")
	if err := plan.WriteFile(out, p); err != nil {
		t.Fatal(err)
	}
	return out
}
