package host

import (
	"errors"
	"strings"
	"testing"

	"dsac/runtime/plan"
)

// tensorMap is weights in memory.
type tensorMap map[string][]byte

func (m tensorMap) Data(name string) ([]byte, error) {
	b, ok := m[name]
	if !ok {
		return nil, errors.New("no such tensor")
	}
	return b, nil
}

// smallPlan has one step: y = x W^T.
func smallPlan(t testing.TB) (*builder, tensorMap) {
	b := newBuilder(t, 16)
	x := b.buf("x", inI, "f32", 4, 8)
	w := b.weight("w", "f32", 3, 8)
	b.begin("go", 4, 4)
	y := b.buf("y", inO, "f32", 4, 3)
	b.step("matmul", nil, x, w, y)
	b.end()
	return b, tensorMap{"w": make([]byte, 3*8*4)}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(b *builder, w tensorMap)
		want   string
	}{
		{"unknown op", func(b *builder, w tensorMap) { b.b.P.Steps[0].Op = b.b.Str("conv") },
			`entry go: step matmul.0: not supported by the host device: op "conv"`},
		{"missing tensor", func(b *builder, w tensorMap) { delete(w, "w") }, "weight w: no such tensor"},
		{"another model's tensor", func(b *builder, w tensorMap) { w["w"] = w["w"][:64] },
			"weight w: the file has 64 bytes, the plan was made for f32 [8 3 1 1] of 96: compile again for this model"},
		{"a type without a decoder", func(b *builder, w tensorMap) { b.b.P.Weights[0].Type = b.b.Str("iq1_s") },
			"weight w: not supported by the host device: blocks of iq1_s cannot be decoded"},
		{"a shard", func(b *builder, w tensorMap) { b.b.P.Weights[0].Axis = 1 },
			"weight w: not supported by the host device: it is a shard of a tensor; compile with --tp 1"},
		{"a tensor too large for the machine", func(b *builder, w tensorMap) { b.b.P.Weights[0].Dims = [4]uint64{8, 1 << 40, 1 << 40, 1} },
			"weight w: f32 [8 1099511627776 1099511627776 1] is too large"},
		{"a buffer outside its region", func(b *builder, w tensorMap) { b.b.P.Bufs[3].Off = 1 << 63 },
			"buffer y: bytes [9223372036854775808, +48) leave region O of 64 bytes"},
		{"a shape larger than its buffer", func(b *builder, w tensorMap) { b.b.P.Bufs[3].Shape[0] = 5 },
			"entry go: step matmul.0 (matmul): operand 2, buffer y: 48 bytes are too few for f32 [5 3]: a row has 12"},
		{"a shape that overflows", func(b *builder, w tensorMap) {
			b.b.P.Bufs[3].Shape = [4]uint32{1 << 31, 1 << 31, 1 << 31, 3}
			b.b.P.Bufs[3].Dims = 4
		}, "entry go: step matmul.0 (matmul): operand 2, buffer y: shape [2147483648 2147483648 2147483648 3] is too large"},
		{"columns outside a row", func(b *builder, w tensorMap) { b.b.P.Operands[0].Col, b.b.P.Operands[0].Cols = 4, 8 },
			"entry go: step matmul.0 (matmul): operand 0, buffer x: columns [4, 12) of a row of 8"},
		{"shapes that do not fit", func(b *builder, w tensorMap) { b.b.P.Operands[0].Cols = 4 },
			"entry go: step matmul.0 (matmul): operand 1: shape [3 8] does not fit nk: k is 8 here and 4 before"},
		{"an unknown type", func(b *builder, w tensorMap) { b.b.P.Bufs[3].DType = b.b.Str("q9") },
			`entry go: step matmul.0 (matmul): operand 2, buffer y: unknown tensor type "q9"`},
		{"too few operands", func(b *builder, w tensorMap) { b.b.P.Steps[0].Operands.Len = 2 },
			"entry go: step matmul.0 (matmul): 2 operands, want 3"},
		{"a missing attribute", func(b *builder, w tensorMap) { b.b.P.Steps[0].Op = b.b.Str("rmsnorm") },
			"entry go: step matmul.0 (rmsnorm): attribute eps is missing"},
		{"no control buffer", func(b *builder, w tensorMap) { b.b.P.Bufs[b.ctl].Role = plan.Temp }, "the plan has no control buffer (role=control)"},
		{"a context that is no number", func(b *builder, w tensorMap) { b.b.P.Meta[0].Val = b.b.Str("many") },
			`plan says ctx="many", want a number of cache rows`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, w := smallPlan(t)
			c.damage(b, w)
			d, err := Load(b.b.P, w, Options{})
			if err == nil {
				d.Close()
				t.Fatal("it was loaded")
			}
			if got := err.Error(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestUnsoundPlanIsAnError: what binding does not check must not crash the process.
func TestUnsoundPlanIsAnError(t *testing.T) {
	for _, workers := range []int{1, 4} {
		b := newBuilder(t, 4096)
		ids := b.buf("list", inI, "i32", 1024, 2)
		p := b.buf("p", inI, "f32", 1024, 2)
		b.begin("go", 1024, 1)
		g := b.tmp("g", 1024, 2)
		b.step("gate_weights", append([]plan.Attr{b.f("floor", 1)}, b.i("norm", 0), b.f("scale", 1)), p, ids, g)
		big := b.tmp("big", 1024, 64)
		b.step("copy", nil, big, b.tmp("big2", 1024, 64))
		b.end()
		d, err := Load(b.b.P, nil, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		mem, err := d.Buffer("list")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Run(0, 1024); err != nil {
			t.Fatalf("a good list: %v", err)
		}
		mem[7] = 0x7f
		err = d.Run(0, 1024)
		var crash *Crash
		if !errors.As(err, &crash) || !strings.HasPrefix(err.Error(), "step gate_weights.0 (gate_weights): BUG or unsound plan:") {
			t.Errorf("%d workers: got %v, want a *Crash that names the step", workers, err)
		}
		mem[7] = 0
		if err := d.Run(0, 1024); err != nil {
			t.Errorf("the device did not recover: %v", err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestLayoutIsApplied(t *testing.T) {
	b, w := smallPlan(t)
	b.b.P.Weights[0].Layout = b.b.Str("planes")
	called := false
	opt := Options{Layouts: map[string]Layout{"planes": func(_ *plan.Weight, tensor []byte) ([]byte, error) {
		called = true
		return tensor, nil
	}}}
	d, err := Load(b.b.P, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if !called {
		t.Error("the layout of the weight was not used")
	}
}

func TestEntryFor(t *testing.T) {
	d := openGLM(t, tinyModel(t), "f32", 32, Options{}, [2]int{16, 1}, [2]int{1, 1}, [2]int{4, 4})
	for n, want := range map[int]int{1: 1, 2: 2, 4: 2, 5: 0, 16: 0} {
		if got, err := d.EntryFor(n, nil); err != nil || got != want {
			t.Errorf("%d rows: got entry %d (%v), want %d", n, got, err, want)
		}
	}
	if got, err := d.EntryFor(2, func(e *plan.Entry) bool { return e.Outs == 1 }); err != nil || got != 0 {
		t.Errorf("2 rows with one row of logits: got entry %d (%v), want 0", got, err)
	}
	if _, err := d.EntryFor(17, nil); err == nil {
		t.Error("17 rows found an entry")
	}
	if i, err := d.Entry("t4"); err != nil || i != 2 {
		t.Errorf("entry t4: got %d, %v", i, err)
	}
	if d.Bytes() == 0 {
		t.Error("the device says it uses no memory")
	}
}
