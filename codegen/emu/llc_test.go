package emu

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"os/exec"
	"path/filepath"
	"testing"

	"dsac/codegen/ptx"
)

// llcText compiles LLVM IR; the test is skipped when that llc is not installed.
func llcText(t *testing.T, llc, file string) string {
	t.Helper()
	path, err := exec.LookPath(llc)
	if err != nil {
		t.Skipf("%s is not installed", llc)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(path, "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_80", "-mattr=+ptx71", "-o", "-", filepath.Join("testdata", file))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", llc, err, stderr.Bytes())
	}
	return string(out)
}

// TestSoftmaxFromLLVM runs a whole kernel as llc emits it: parsed, printed and parsed again,
// checked, analysed, executed, compared with float64.
func TestSoftmaxFromLLVM(t *testing.T) {
	const rows, cols = 3, 200
	for _, llc := range []string{"llc-14", "llc-19"} {
		t.Run(llc, func(t *testing.T) {
			m, err := ptx.Parse(llcText(t, llc, "softmax.ll"))
			if err != nil {
				t.Fatal(err)
			}
			if m, err = ptx.Parse(m.String()); err != nil {
				t.Fatal(err)
			}
			target, _ := ptx.TargetNamed("sm_80")
			if errs := m.Check(target); errs != nil {
				t.Fatal(errs)
			}
			s, err := ptx.Analyze(m.Entries[0], shape(rows, 128))
			if err != nil {
				t.Fatal(err)
			}
			x, y := s.Params[0], s.Params[1]
			if x.Mode != "nc" || x.Loads != (ptx.Extent{Lo: 0, Hi: 4 * rows * cols, Known: true}) {
				t.Errorf("input: %+v", x)
			}
			if y.Mode != "rw" || y.Stores != (ptx.Extent{Lo: 0, Hi: 4 * rows * cols, Known: true}) || !y.Exact || len(y.Cover) != 1 || y.Cover[0] != (ptx.Span{Lo: 0, Hi: 4 * rows * cols}) {
				t.Errorf("output: %+v", y)
			}
			k, err := Compile(m, "softmax")
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewSource(1))
			in := make([]byte, 4*rows*cols)
			for i := range rows * cols {
				binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(rng.NormFloat64()*4)))
			}
			out := NewBuffer("y", 4*rows*cols)
			r, err := k.Launch(LaunchConfig{Launch: shape(rows, 128), Params: []Param{
				{Name: "x", Buf: BufferOf("x", in), Access: Read}, {Name: "y", Buf: out, Access: Read | Write, Multi: true, Cover: []Range{{0, len(in)}}}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			clean(t, r)
			for row := range rows {
				value := func(b []byte, c int) float64 {
					return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*(row*cols+c):])))
				}
				top, sum := math.Inf(-1), 0.0
				for c := range cols {
					top = max(top, value(in, c))
				}
				for c := range cols {
					sum += math.Exp(value(in, c) - top)
				}
				for c := range cols {
					want := math.Exp(value(in, c)-top) / sum
					if got := value(out.Data, c); math.Abs(got-want) > 1e-6*want+1e-9 {
						t.Fatalf("row %d column %d: got %g, want %g", row, c, got, want)
					}
				}
			}
		})
	}
}
