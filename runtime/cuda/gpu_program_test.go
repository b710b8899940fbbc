//go:build cuda

package cuda

import (
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// toyFiles writes a plan and the toy's weights as a user has them.
func toyFiles(t *testing.T, p *plan.Plan) (planFile, model string) {
	t.Helper()
	dir := t.TempDir()
	planFile, model = filepath.Join(dir, "toy.plan"), filepath.Join(dir, "toy.gguf")
	if err := plan.WriteFile(planFile, p); err != nil {
		t.Fatal(err)
	}
	weights, _ := toyWeights()
	w := gguf.NewWriter()
	w.Set("general.architecture", "toy")
	w.Add("token_embd.weight", quant.F32, toyWidth, toyVocab)
	fill := func(_ *gguf.Tensor, out io.Writer) error {
		_, err := out.Write(weights["token_embd.weight"])
		return err
	}
	if _, err := w.WriteFile(model, gguf.Options{Fill: fill}); err != nil {
		t.Fatal(err)
	}
	return planFile, model
}

// The program itself, which DSAC_BIN names, on the GPU: right logits, and of a kernel that
// faults the step and exit code 2.
func TestGPUProgram(t *testing.T) {
	needGPU(t)
	bin := os.Getenv("DSAC_BIN")
	if bin == "" {
		t.Skip("DSAC_BIN does not name the program")
	}
	run := func(p *plan.Plan, more ...string) (out string, logits []byte, code int) {
		planFile, model := toyFiles(t, p)
		f32 := filepath.Join(t.TempDir(), "out.f32")
		args := append([]string{"logits", planFile, "-m", model, "--tokens", "9,3,60", "-o", f32}, more...)
		text, err := exec.Command(bin, args...).CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		logits, _ = os.ReadFile(f32)
		return string(text), logits, code
	}
	m := toyModel{}
	_, m.embd = toyWeights()
	for _, how := range [][]string{{"--device", "cuda"}, {"--device", "cuda:0", "--steps"}, nil} {
		out, logits, code := run(toyPlan(t), how...)
		if code != 0 || len(logits) != 3*4*toyWidth {
			t.Fatalf("%v: exit code %d, %d bytes of logits\n%s", how, code, len(logits), out)
		}
		for row, id := range []int32{9, 3, 60} {
			for j, want := range m.logits(id) {
				if got := getF(logits, row*toyWidth+j); math.Float32bits(got) != math.Float32bits(want) {
					t.Fatalf("%v: logit %d of row %d is %v, want %v", how, j, row, got, want)
				}
			}
		}
	}
	p := toyPlan(t)
	swap(p, "scale", "fault", 0)
	out, _, code := run(p, "--device", "cuda")
	t.Log(out)
	if code != 2 {
		t.Errorf("a fault gives exit code %d, want 2", code)
	}
	for _, want := range []string{"failed in a launch of entry prefill", "running it again launch by launch", "step a (scale), kernel fault", "CUDA_ERROR_ILLEGAL_ADDRESS"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in the message", want)
		}
	}
}

// The program delays each launch: nothing changes, unless an edge is missing.
func TestGPUProgramStress(t *testing.T) {
	needGPU(t)
	bin := os.Getenv("DSAC_BIN")
	if bin == "" {
		t.Skip("DSAC_BIN does not name the program")
	}
	lost := strings.ReplaceAll(toyText, "wait scaled @main\n", "")
	for _, c := range []struct {
		text, want string
		code       int
	}{
		{toyText, "no differences", 0},
		{lost, "order: entry prefill, step a (scale), kernel scale, buffer y byte ", 1},
	} {
		p, err := plan.Parse("toy.plan.txt", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		setPTX(p, toyPTX)
		planFile, model := toyFiles(t, p)
		cmd := exec.Command(bin, "check", planFile, "-m", model, "--device", "cuda", "--stress", "--prompt-tokens", "3")
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("exit code %d, want %d and %q: %v\n%s", code, c.code, c.want, err, out)
		}
	}
}
