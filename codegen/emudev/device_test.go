package emudev

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"dsac/codegen/llc"
	"dsac/ir/ops"
	"dsac/passes"
	"dsac/runtime/check"
	"dsac/runtime/host"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// tensors are weights in memory.
type tensors map[string][]byte

func (t tensors) Data(name string) ([]byte, error) { return t[name], nil }

// toyPlan reads the plan in testdata and gives it kernels.
func toyPlan(t *testing.T) *plan.Plan {
	t.Helper()
	if _, err := llc.Find(); err != nil {
		t.Skip(err)
	}
	const file = "testdata/toy.plan.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := passes.AddKernels(p, passes.Options{Target: "sm_120", Ctx: 16, Chunk: 4, KV: "f16", Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return p
}

// edited is a copy of p with the text of its kernels changed. Text that is not there fails.
func edited(t *testing.T, p *plan.Plan, kernel, old, want string) *plan.Plan {
	t.Helper()
	c := p.Clone()
	for i := range c.Kernels {
		k := &c.Kernels[i]
		ptx := string(c.Bytes(k.PTX))
		at := strings.Index(ptx, ".entry "+p.Str(k.Name))
		if !strings.HasPrefix(p.Str(k.Name), kernel+"_") {
			continue
		}
		end := at + strings.Index(ptx[at:], "\n}")
		body := strings.Replace(ptx[at:end], old, want, 1)
		if body == ptx[at:end] {
			t.Fatalf("kernel %s has no %q:\n%s", p.Str(k.Name), old, body)
		}
		ptx = ptx[:at] + body + ptx[end:]
		k.PTX = plan.Span{Off: uint32(len(c.Blob)), Len: uint32(len(ptx))}
		c.Blob = append(c.Blob, ptx...)
		return c
	}
	t.Fatalf("no kernel of op %s", kernel)
	return nil
}

// blind hides what the emulator sees: what a GPU that tells nothing would leave to the
// comparison.
type blind struct{ check.Device }

func (b blind) Step(s *check.Step) ([]check.Finding, error) {
	_, err := b.Device.Step(s)
	return nil, err
}

// run checks device plan dev against the host's p: three rows, then two more.
func run(t *testing.T, p, dev *plan.Plan, blinded bool) *check.Report {
	t.Helper()
	r := quant.NewRand(1)
	w := tensors{"embd": make([]byte, 64*64*4), "norm": make([]byte, 64*4)}
	for _, b := range w {
		if err := quant.F32.RandomRow(b, r, 1); err != nil {
			t.Fatal(err)
		}
	}
	h, err := host.Load(p, w, host.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	e, err := Open(dev, w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var d check.Device = e
	if blinded {
		d = blind{e}
	}
	c, err := check.New(p, h, d, check.Options{Tol: func(op string) (float64, float64) {
		o := ops.Find(op)
		return o.Tol.Abs, o.Tol.Rel
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctl, err := h.Buffer("ctl")
	if err != nil {
		t.Fatal(err)
	}
	for _, ids := range [][]int32{{5, 63, 0}, {17, 18}} {
		if err := c.Run(t.Context(), 0, ids); err != nil {
			t.Fatal(err)
		}
		pos := binary.LittleEndian.Uint64(ctl[plan.CtlPos:])
		binary.LittleEndian.PutUint64(ctl[plan.CtlPos:], pos+uint64(len(ids))) // the toy has no step advance
	}
	return c.Report()
}

func TestRightKernelsAreClean(t *testing.T) {
	p := toyPlan(t)
	r := run(t, p, p, false)
	if !r.Clean() {
		t.Errorf("findings: %v", r.Findings)
	}
	if len(r.Runs) != 2 || r.Runs[1].Pos != 3 || r.Runs[1].Compared != 4 {
		t.Errorf("runs: %+v", r.Runs)
	}
}

// TestPlantedFaults plants faults in the kernels of a plan. Each must be found where it is,
// both with what the emulator sees and by comparison alone.
func TestPlantedFaults(t *testing.T) {
	p := toyPlan(t)
	mean := "0f3C800000" // 1/64, in the mean of squares
	for _, c := range []struct {
		name string
		make func(t *testing.T) *plan.Plan
		step string
		kind check.Kind // by comparison
		also string     // what the emulator says
	}{
		{"a wrong scale", func(t *testing.T) *plan.Plan {
			return edited(t, p, "rmsnorm", mean, hex(1.0/60))
		}, "h", check.Differs, ""},
		{"an output pointer to another buffer", func(t *testing.T) *plan.Plan {
			return edited(t, p, "add", "_param_2]", "_param_1]")
		}, "y", check.Outside, "store through a parameter that does not declare it"},
		{"rows of the cache go to the control buffer", func(t *testing.T) *plan.Plan {
			return edited(t, p, "append", "_param_1]", "_param_2]")
		}, "kv", check.Outside, ""},
		{"unwritten tail rows", func(t *testing.T) *plan.Plan {
			c := p.Clone()
			l := &c.Launches[1]
			l.Grid[0] = 1
			return c
		}, "h", check.Unwritten, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := c.make(t)
			for _, blinded := range []bool{false, true} {
				r := run(t, p, bad, blinded)
				if r.Clean() {
					t.Fatalf("blind %v: nothing found", blinded)
				}
				byComparison, seen := false, c.also == "" || blinded
				for _, f := range r.Findings {
					if f.Step != c.step {
						t.Errorf("blind %v: found elsewhere: %v", blinded, &f)
					}
					byComparison = byComparison || f.Kind == c.kind
					seen = seen || f.Kind == check.Faulty && strings.Contains(f.Detail, c.also)
				}
				if !byComparison || !seen {
					t.Errorf("blind %v: want %s and %q, got %v", blinded, c.kind, c.also, r.Findings)
				}
			}
		})
	}
}

// hex writes a float32 as PTX does.
func hex(x float32) string {
	const digits = "0123456789ABCDEF"
	s := []byte("0f00000000")
	for i, b := 9, math.Float32bits(x); i > 1; i, b = i-1, b>>4 {
		s[i] = digits[b&15]
	}
	return string(s)
}
