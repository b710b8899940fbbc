//go:build cuda

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dsac/internal/fixture"
	"dsac/runtime/check"
	"dsac/runtime/cuda"
	"dsac/runtime/gguf"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// TestCheckStress runs dsac check --stress against the stand-in of the driver's library, which
// runs a delayed launch after all that does not wait for it: on a plan that is in order, and on
// one that lost an edge.
func TestCheckStress(t *testing.T) {
	if len(cuda.Probe().GPUs) > 0 {
		t.Skip("a real GPU is here, for which the stand-in's kernels are not")
	}
	flags := os.Getenv("CGO_CFLAGS")
	if flags == "" {
		t.Skip("CGO_CFLAGS does not say where cuda.h is: run make test")
	}
	dir := t.TempDir()
	toy := filepath.Join(fixture.Root(), "runtime", "cuda", "testdata")
	args := append(strings.Fields(flags), "-shared", "-fPIC", "-w", "-o", filepath.Join(dir, "libcuda.so.1"), filepath.Join(toy, "standin.c"))
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dsac := filepath.Join(dir, "dsac") // the name by which TestMain knows it
	if err := os.Symlink(self, dsac); err != nil {
		t.Fatal(err)
	}
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

// toyPlan writes the toy of the CUDA tests as a plan file, without the lines drop.
func toyPlan(t *testing.T, dir, drop string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "toy.plan.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if drop != "" && !bytes.Contains(text, []byte(drop)) {
		t.Fatalf("the toy has no %q", drop)
	}
	p, err := plan.Parse("toy.plan.txt", []byte(strings.ReplaceAll(string(text), drop, "")))
	if err != nil {
		t.Fatal(err)
	}
	if p.Blob, err = os.ReadFile(filepath.Join(dir, "toy.ptx")); err != nil {
		t.Fatal(err)
	}
	for i := range p.Kernels {
		p.Kernels[i].PTX = plan.Span{Len: uint32(len(p.Blob))}
	}
	file := filepath.Join(t.TempDir(), "toy.plan")
	if err := plan.WriteFile(file, p); err != nil {
		t.Fatal(err)
	}
	return file
}

// toyWeights writes the toy's embeddings.
func toyWeights(t *testing.T, dir string) string {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	w := gguf.NewWriter()
	w.Set("general.architecture", "toy")
	w.Add("token_embd.weight", quant.F32, 64, 64)
	fill := func(x *gguf.Tensor, out io.Writer) error {
		values := make([]float32, x.Size/4)
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		return binary.Write(out, binary.LittleEndian, values)
	}
	file := filepath.Join(dir, "toy.gguf")
	if _, err := w.WriteFile(file, gguf.Options{Fill: fill}); err != nil {
		t.Fatal(err)
	}
	return file
}
