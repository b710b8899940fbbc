//go:build cuda

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/check"
)

// TestCheckStress runs dsac check --stress against the stand-in of the driver's library, which
// runs a delayed launch after all that does not wait for it: on a plan that is in order, and on
// one that lost an edge.
func TestCheckStress(t *testing.T) {
	dir, dsac := standIn(t)
	toy := filepath.Join(fixture.Root(), "runtime", "cuda", "testdata")
	weights := toyWeights(t, dir)

	for _, c := range []struct {
		name, drop  string
		args        []string
		step, reads string // of the finding
	}{
		{name: "all_edges"},
		{name: "decode", args: []string{"--entry", "decode"}},
		{name: "made_up_caches", args: []string{"--entry", "prefill", "--state", "random:3", "--depth", "5", "--per-kernel", "1"}},
		{name: "one_kernel_at_a_time", args: []string{"--steps"}},
		{name: "lost_edge", drop: "wait scaled @main\n", step: "a", reads: "read by y"},
		{name: "lost_edge_of_decode", drop: "wait scaled @main\n", args: []string{"--entry", "decode"}, step: "a", reads: "read by y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := toyPlan(t, toy, c.drop)
			cmd := exec.Command(dsac, append([]string{"check", file, "-m", weights, "--device", "cuda", "--stress", "--json", "--prompt-tokens", "6"}, c.args...)...)
			cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			want := exitOK
			if c.step != "" {
				want = exitFindings
			}
			if got := cmd.ProcessState.ExitCode(); got != want {
				t.Errorf("exit code %d, want %d: %v\n%s", got, want, err, errs.String())
			}
			r := &check.Report{}
			if err := json.Unmarshal(out, r); err != nil {
				t.Fatalf("%v in the report:\n%s", err, out)
			}
			for _, run := range r.Runs {
				if run.Compared != run.Steps || run.Steps != 6 {
					t.Errorf("%s: %d of %d steps delayed", run.Entry, run.Compared, run.Steps)
				}
			}
			switch f := r.First; {
			case c.step == "" && f != nil:
				t.Errorf("found %s", f)
			case c.step != "" && (f == nil || f.Step != c.step || !strings.HasSuffix(f.Detail, c.reads)):
				t.Errorf("found %v, want step %s %s", f, c.step, c.reads)
			}
		})
	}
}
