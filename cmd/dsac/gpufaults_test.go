//go:build cuda

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dsac/internal/fixture"
)

// TestGPUFaults runs the program against the stand-in of the driver's library with GPUs of
// different memory, with one that is lost in mid-run, and with Ctrl-C during load. Which GPU
// was taken shows when it is lost.
func TestGPUFaults(t *testing.T) {
	dir, dsac := standIn(t)
	toy := filepath.Join(fixture.Root(), "runtime", "cuda", "testdata")
	file, weights := toyPlan(t, toy, ""), toyWeights(t, dir)
	large := filepath.Join(t.TempDir(), "large.plan") // 100 MiB of caches
	writeToy(t, large, strings.NewReplacer("region S state 8192", "region S state 104857600").Replace(readToy(t, toy)), toy)
	for _, c := range []struct {
		name, plan, device, env string
		interrupt               bool
		code                    int
		want, not               string // in what it says
	}{
		{name: "no_fault", plan: file, code: exitOK, want: "wrote"},
		{name: "the_GPU_with_room", plan: large, env: "STANDIN_MIB=300,8192 STANDIN_LOSE=1", code: exitError, want: "GPU 1 (Stand-in, sm_90) failed"},
		{name: "the_first_of_two", plan: file, env: "STANDIN_MIB=8192,16384 STANDIN_LOSE=1", code: exitError, want: "GPU 0 (Stand-in, sm_90) failed"},
		{name: "the_GPU_without_room", plan: large, device: "cuda:0", env: "STANDIN_MIB=300,8192", code: exitError,
			want: "GPU 0 (Stand-in, sm_90): the plan needs 100.", not: "host"},
		{name: "no_GPU_has_room", plan: large, env: "STANDIN_MIB=300,310", code: exitError, want: "GPU 1 (Stand-in, sm_90): the plan needs 100."},
		{name: "lost_in_mid-run", plan: file, env: "STANDIN_LOSE=2", code: exitError,
			want: "GPU 0 (Stand-in, sm_90) failed in a launch of entry decode: cuStreamQuery: CUDA_ERROR_UNKNOWN (999)", not: "host"},
		{name: "the_step_is_named", plan: file, env: "STANDIN_LOSE=2", code: exitError, want: "failed in entry decode, step a (scale), kernel scale"},
		{name: "stopped_while_it_loads", plan: file, env: "STANDIN_COPY_MS=1000", interrupt: true, code: exitError, want: "dsac: stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			args := []string{"logits", c.plan, "-m", weights, "--tokens", "1,2,3", "--chunk", "1", "-o", filepath.Join(t.TempDir(), "out.f32")}
			if c.device != "" {
				args = append(args, "--device", c.device)
			}
			cmd := exec.CommandContext(ctx, dsac, args...)
			cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
			cmd.Env = append(cmd.Env, strings.Fields(c.env)...)
			if c.interrupt {
				time.AfterFunc(500*time.Millisecond, func() { _ = cmd.Process.Signal(os.Interrupt) })
			}
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("exit code %d, want %d: %v", cmd.ProcessState.ExitCode(), c.code, err)
			}
			if said := string(out); !strings.Contains(said, c.want) || c.not != "" && strings.Contains(said, c.not) {
				t.Errorf("it says %q, want %q and no word of %q", said, c.want, c.not)
			}
		})
	}
}
