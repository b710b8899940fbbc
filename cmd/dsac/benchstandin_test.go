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
)

// TestBenchOnAStandIn runs dsac bench against the stand-in of the driver's library.
func TestBenchOnAStandIn(t *testing.T) {
	dir, dsac := standIn(t)
	toy := filepath.Join(fixture.Root(), "runtime", "cuda", "testdata")
	file := longToyPlan(t, toy)
	weights := toyWeights(t, dir)
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command(dsac, append([]string{"bench"}, args...)...)
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, errs.String())
		}
		return out
	}
	decode := func(out []byte) *benchRun {
		t.Helper()
		b := &benchRun{}
		if err := json.Unmarshal(out, b); err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		return b
	}

	kernels := run("kernels", file, "--only", "decode", "--json")
	b := decode(kernels)
	if b.Device != "Stand-in" || b.Rates.Copy <= 0 || len(b.Rows) != 6 {
		t.Errorf("%s, %+v, %d rows, want 6 launches of decode", b.Device, b.Rates, len(b.Rows))
	}
	for _, r := range b.Rows {
		if r.Micros < 0 || r.Runs < 1 || r.Error != "" {
			t.Errorf("%+v", r)
		}
	}
	before := filepath.Join(dir, "before.json")
	if err := os.WriteFile(before, kernels, 0o644); err != nil {
		t.Fatal(err)
	}
	if out := string(run("kernels", file, "--compare", before)); strings.Count(out, "new\n") == 0 || !strings.Contains(out, "decode/y/add") {
		t.Errorf("compared:\n%s", out)
	}

	model := []string{"model", file, "--device", "cuda", "--prompt", "128", "--depth", "0,16", "--steps-decode", "4", "--repeat", "2", "--json"}
	for _, more := range [][]string{{"-m", weights}, {"--random-weights"}} {
		b := decode(run(append(model, more...)...))
		kinds := map[string]int{}
		for _, r := range b.Rows {
			kinds[strings.SplitN(r.Name, "/", 2)[0]]++
		}
		if kinds["prefill128"] != 14 || kinds["decode"] != 14 { // a rate and six kinds, at two depths
			t.Errorf("%v: rows %v", more, kinds)
		}
	}
}

// longToyPlan is the toy with room for a prompt that bench model takes.
func longToyPlan(t *testing.T, dir string) string {
	t.Helper()
	long := strings.NewReplacer("ctx=16", "ctx=256", "S+512 4096", "S+512 65536", "shape=16x64 layer", "shape=256x64 layer", "state 8192", "state 131072")
	file := filepath.Join(t.TempDir(), "long.plan")
	writeToy(t, file, long.Replace(readToy(t, dir)), dir)
	return file
}
