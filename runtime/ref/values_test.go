package ref

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

func TestNorms(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	x, w, b, y := arg(t, r, "f32", 1, 4), arg(t, r, "f32", 4), arg(t, r, "f32", 4), arg(t, r, "f32", 1, 4)
	copy(x.F32, []float32{1, 2, 3, 4})
	copy(w.F32, []float32{1, 1, 2, -1})
	copy(b.F32, []float32{0, 10, 0, 0})
	root := math.Sqrt(7.5 + 0.25) // mean of squares + eps
	run(t, "rmsnorm", 1, 0, attrs("eps", 0.25), x, w, y)
	for i, want := range []float64{1 / root, 2 / root, 6 / root, -4 / root} {
		if !near(float64(y.F32[i]), want, 1e-7) {
			t.Errorf("rmsnorm: got %v, want %v at %d", y.F32, want, i)
		}
	}
	root = math.Sqrt(1.25 + 1) // biased variance + eps
	run(t, "layernorm", 1, 0, attrs("eps", 1.0), x, w, b, y)
	for i, want := range []float64{-1.5 / root, -0.5/root + 10, 1 / root, -1.5 / root} {
		if !near(float64(y.F32[i]), want, 1e-7) {
			t.Errorf("layernorm: got %v, want %v at %d", y.F32, want, i)
		}
	}
}

func TestElementwise(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	a, b, y := arg(t, r, "f32", 2, 3), arg(t, r, "f32", 2, 3), arg(t, r, "f32", 2, 3)
	for op, f := range map[string]func(a, b float64) float64{
		"add":      func(a, b float64) float64 { return a + b },
		"mul":      func(a, b float64) float64 { return a * b },
		"silu_mul": func(a, b float64) float64 { return a * b / (1 + math.Exp(-a)) },
	} {
		run(t, op, 2, 0, Attrs{}, a, b, y)
		for i := range y.F32 {
			if want := f(float64(a.F32[i]), float64(b.F32[i])); !near(float64(y.F32[i]), want, 1e-7) {
				t.Errorf("%s: got %v, want %v", op, y.F32[i], want)
			}
		}
	}
	run(t, "sigmoid", 2, 0, Attrs{}, a, y)
	for i := range y.F32 {
		// sigmoid(x) = (1 + tanh(x/2)) / 2
		if want := (1 + math.Tanh(float64(a.F32[i])/2)) / 2; !near(float64(y.F32[i]), want, 1e-7) {
			t.Errorf("sigmoid: got %v, want %v", y.F32[i], want)
		}
	}
}

func TestSoftmax(t *testing.T) {
	p := []float64{1000, 1000 + math.Log(3), -1e9}
	Softmax(p)
	if !near(p[0], 0.25, 1e-7) || !near(p[1], 0.75, 1e-7) || p[2] != 0 {
		t.Errorf("got %v, want [0.25 0.75 0]", p)
	}
	for _, v := range p {
		if float64(float32(v)) != v {
			t.Errorf("%v is not a float32", v)
		}
	}
}

func TestTakeRows(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	x := arg(t, r, "f32", 6, 2)
	for i := range x.F32 {
		x.F32[i] = float32(i / 2)
	}
	for _, c := range []struct {
		n, rows int
		want    []float32 // -1: not written
	}{
		{4, 1, []float32{3}},
		{4, 6, []float32{0, 1, 2, 3, -1, -1}},
		{4, 3, []float32{1, 2, 3}},
		{2, 3, []float32{0, 1, -1}},
	} {
		y := arg(t, r, "f32", c.rows, 2)
		for i := range y.F32 {
			y.F32[i] = -1
		}
		run(t, "take_rows", c.n, 0, Attrs{}, x, y)
		for i, want := range c.want {
			if y.F32[2*i] != want || y.F32[2*i+1] != want {
				t.Errorf("%d live rows to %d: got %v, want %v", c.n, c.rows, y.F32, c.want)
				break
			}
		}
	}
}

// TestStoresRoundOnce: a 16-bit result is the float32 result rounded to nearest even.
func TestStoresRoundOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	a, b := arg(t, r, "f32", 3, 8), arg(t, r, "f32", 3, 8)
	exact := arg(t, r, "f32", 3, 8)
	run(t, "mul", 3, 0, Attrs{}, a, b, exact)
	for _, dtype := range []string{"f16", "bf16"} {
		y := arg(t, r, dtype, 3, 8)
		run(t, "mul", 3, 0, Attrs{}, a, b, y)
		tmp := make([]float32, 8)
		for row := range 3 {
			for i, v := range y.Row(row, tmp) {
				want := quant.F16ToF32(quant.F32ToF16(exact.F32[row*8+i]))
				if dtype == "bf16" {
					want = quant.BF16ToF32(quant.F32ToBF16(exact.F32[row*8+i]))
				}
				if v != want {
					t.Errorf("%s: got %v, want %v", dtype, v, want)
				}
			}
		}
		sel := columns(t, y, 2, 3)
		whole := slices.Clone(y.Row(1, tmp))
		if got := sel.Row(1, make([]float32, 3)); !slices.Equal(got, whole[2:5]) {
			t.Errorf("%s columns: got %v, want %v", dtype, got, whole[2:5])
		}
		wide := make([]float64, 3)
		sel.Row64(1, wide)
		if !slices.Equal(wide, widen(whole[2:5])) {
			t.Errorf("%s columns as float64: got %v, want %v", dtype, wide, whole[2:5])
		}
	}
}

func TestSampleAndAdvance(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	const vocab, n, pos = 5, 2, 7
	raw := func(size int) Arg { return arg(t, r, "i8", size) }
	logits, hist, ids := arg(t, r, "f32", 3, vocab), arg(t, r, "i32", vocab), arg(t, r, "i32", 3)
	params, mask, ctl := raw(plan.SmpSize), raw(vocab), raw(plan.CtlSize)
	clear(hist.I32)
	le := binary.LittleEndian
	le.PutUint32(params.Data[plan.SmpTopP:], math.Float32bits(1))
	le.PutUint32(params.Data[plan.SmpPenalty:], math.Float32bits(1))
	copy(logits.F32[vocab:], []float32{1, 3, 3, 9, 0}) // the last live row
	mask.Data[3] = 1
	le.PutUint64(ctl.Data[plan.CtlPos:], pos)
	le.PutUint32(ctl.Data[plan.CtlAccepted:], n)

	token := func() int32 { return int32(le.Uint32(ctl.Data[plan.CtlToken:])) }
	run(t, "sample", n, pos, Attrs{}, logits, params, mask, hist, ctl)
	if token() != 1 || hist.I32[1] != 1 {
		t.Errorf("greedy: got token %d, history %v, want the lower of the best that are not masked, 1", token(), hist.I32)
	}
	if got := le.Uint64(ctl.Data[plan.CtlRNG:]); got != pos+n {
		t.Errorf("position of the token: got %d, want %d", got, pos+n)
	}
	le.PutUint32(params.Data[plan.SmpPenalty:], math.Float32bits(2))
	run(t, "sample", n, pos, Attrs{}, logits, params, mask, hist, ctl)
	if token() != 2 {
		t.Errorf("with a penalty on 1: got token %d, want 2", token())
	}
	run(t, "advance", n, pos, Attrs{}, ctl, ids)
	if got := le.Uint64(ctl.Data[plan.CtlPos:]); got != pos+n || ids.I32[0] != 2 {
		t.Errorf("advance: position %d and next input %d, want %d and 2", got, ids.I32[0], pos+n)
	}

	logits.F32[vocab] = float32(math.NaN())
	op, _ := Lookup("sample")
	c := &Call{N: n, Hi: n, Args: []Arg{logits, params, mask, hist, ctl}, Work: &Work{}}
	op.Run(c)
	if c.Work.Err == nil {
		t.Error("a NaN among the logits gave no error")
	}
}
