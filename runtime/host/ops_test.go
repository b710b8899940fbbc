package host

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// operand describes one operand of a test call. Its bytes are random, or lists of `below`.
type operand struct {
	dtype     string
	shape     []int
	col, cols int
	sorted    int // i32: ascending distinct values below this, the last of each row -1 at times
	like      int // shares the memory of operand like-1
}

func f32(shape ...int) operand             { return operand{dtype: "f32", shape: shape} }
func typed(t string, shape ...int) operand { return operand{dtype: t, shape: shape} }
func (o operand) columns(lo, n int) operand {
	o.col, o.cols = lo, n
	return o
}

// newCall makes a call with random operands.
func newCall(t testing.TB, r *rand.Rand, n, pos int, attrs ref.Attrs, ops ...operand) *ref.Call {
	t.Helper()
	c := &ref.Call{N: n, Pos: pos, Len: pos + n, Hi: n, Attrs: attrs, Work: &ref.Work{}}
	for i, o := range ops {
		a := randomArg(t, r, o, pos)
		if o.like > 0 {
			var err error
			if a, err = ref.NewArg(a.Type, o.shape, o.col, o.cols, c.Args[o.like-1].Data); err != nil {
				t.Fatal(err)
			}
		}
		_ = i
		c.Args = append(c.Args, a)
	}
	return c
}

func randomArg(t testing.TB, r *rand.Rand, o operand, pos int) ref.Arg {
	t.Helper()
	typ, err := quant.Parse(o.dtype)
	if err != nil {
		t.Fatal(err)
	}
	width := o.shape[len(o.shape)-1]
	rows := 1
	for _, d := range o.shape[:len(o.shape)-1] {
		rows *= d
	}
	size, err := typ.RowBytes(width)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, size*rows)
	a, err := ref.NewArg(typ, o.shape, o.col, o.cols, data)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, width)
	for i := range rows {
		switch {
		case typ == quant.I32:
			copy(a.I32[i*width:], randomList(r, width, o.sorted, pos+i+1))
			continue
		}
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		if err := typ.Encode(data[i*size:][:size], row); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// randomList returns an ascending list of distinct values below min(limit, below), then -1.
func randomList(r *rand.Rand, n, limit, below int) []int32 {
	if limit > 0 {
		below = limit
	}
	p := r.Perm(below)
	p = p[:min(n, below)]
	slices.Sort(p)
	list := make([]int32, n)
	for i := range list {
		list[i] = -1
		if i < len(p) {
			list[i] = int32(p[i])
		}
	}
	return list
}

// clone copies a call, memory included.
func clone(t testing.TB, c *ref.Call) *ref.Call {
	t.Helper()
	d := *c
	d.Args, d.Work = nil, &ref.Work{}
	for i, a := range c.Args {
		data := slices.Clone(a.Data)
		for j := range i {
			if len(a.Data) > 0 && &c.Args[j].Data[0] == &a.Data[0] {
				data = d.Args[j].Data
			}
		}
		b, err := ref.NewArg(a.Type, a.Shape, a.Col, a.Cols, data)
		if err != nil {
			t.Fatal(err)
		}
		d.Args = append(d.Args, b)
	}
	return &d
}

func ints(kv ...any) ref.Attrs {
	a := ref.Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}
	for i := 0; i < len(kv); i += 2 {
		switch v := kv[i+1].(type) {
		case int:
			a.Ints[kv[i].(string)] = int64(v)
		case float64:
			a.Floats[kv[i].(string)] = v
		case string:
			a.Texts[kv[i].(string)] = v
		}
	}
	return a
}

// opCase is one call that the host must compute as the reference does.
type opCase struct {
	op     string
	n, pos int
	attrs  ref.Attrs
	args   []operand
}

func opCases() []opCase {
	list := func(t, k, below int) operand { return operand{dtype: "i32", shape: []int{t, k}, sorted: below} }
	var cs []opCase
	add := func(op string, n, pos int, attrs ref.Attrs, args ...operand) {
		cs = append(cs, opCase{op, n, pos, attrs, args})
	}
	none := ref.Attrs{}
	for _, n := range []int{1, 2, 3, 7, 9, 17} {
		add("matmul", n, 0, none, f32(17, 256), typed("q4_k", 37, 256), f32(17, 37))
		add("matmul", n, 0, none, f32(17, 96).columns(32, 32), typed("q8_0", 16, 32), f32(17, 16))
		add("matmul", n, 0, none, typed("f16", 17, 33), typed("f32", 5, 33), typed("bf16", 17, 5))
		add("matmul_add", n, 0, none, f32(17, 64), typed("q5_1", 19, 64), f32(17, 19), f32(17, 19))
		add("matmul_add", n, 0, none, f32(17, 64), typed("q8_0", 19, 64), f32(17, 19), operand{dtype: "f32", shape: []int{17, 19}, like: 3})
		add("gate_up", n, 0, none, f32(17, 256), typed("q6_k", 21, 256), typed("q4_k", 21, 256), f32(17, 21))
		add("head_matmul", n, 0, none, f32(17, 3, 96).columns(0, 64), typed("q5_0", 3, 18, 64), f32(17, 3, 18))
		add("head_matmul", n, 0, none, f32(17, 9, 32), typed("bf16", 9, 7, 32), typed("f16", 17, 9, 7))
		add("expert_matmul", n, 0, none, f32(17, 64), typed("q8_0", 5, 18, 64), list(17, 3, 5), f32(17, 3, 18))
		add("expert_matmul", n, 0, none, f32(17, 3, 64), typed("q4_0", 5, 33, 64), list(17, 3, 5), f32(17, 3, 33))
		add("expert_gate_up", n, 0, none, f32(17, 64), typed("q8_0", 5, 18, 64), typed("q8_0", 5, 18, 64), list(17, 2, 5), f32(17, 2, 18))
		add("expert_down", n, 0, none, f32(17, 2, 64), typed("q8_0", 5, 21, 64), list(17, 2, 5), f32(17, 2), f32(17, 21))
		add("expert_down_add", n, 0, none, f32(17, 2, 64), typed("q8_0", 5, 21, 64), list(17, 2, 5), f32(17, 2), f32(17, 21), operand{dtype: "f32", shape: []int{17, 21}, like: 5})
		for _, pos := range []int{0, 1, 40} {
			for _, kv := range []string{"f32", "f16", "bf16"} {
				scale := ints("scale", 0.125)
				add("mqa_attend", n, pos, scale, f32(17, 3, 40), f32(17, 3, 24).columns(8, 16), typed(kv, 64, 56), list(17, 7, 0), f32(17, 3, 40))
				add("mqa_attend", n, pos, scale, f32(17, 9, 37), f32(17, 9, 3), typed(kv, 64, 40), list(17, 50, 0), f32(17, 9, 37))
				add("index_topk", n, pos, ints("scale", 0.1, "k", 8), f32(17, 5, 32), f32(17, 5), typed(kv, 64, 32), list(17, 8, 9), f32(5, 64))
				add("index_topk", n, pos, ints("scale", 0.1, "k", 50), f32(17, 9, 16), f32(17, 9), typed(kv, 64, 16), list(17, 50, 9), f32(17, 64))
				add("index_scores", n, pos, scale, f32(17, 5, 32), f32(17, 5), typed(kv, 64, 32), f32(17, 76))
				add("mqa_partial", n, pos, ints("scale", 0.125, "splits", 4), f32(17, 9, 40), f32(17, 9, 16), typed(kv, 64, 56), list(17, 11, 0), typed("f16", 17, 4, 9, 40), f32(17, 4, 9, 2))
			}
			add("select_topk", n, pos, ints("k", 7), f32(17, 72), list(17, 7, 9))
		}
		add("mla_attend", n, 3, ints("scale", 0.25, "nope", 32), f32(17, 3, 40), f32(64, 72), typed("q8_0", 3, 64, 32), typed("q8_0", 3, 24, 64), list(17, 7, 0), f32(17, 3, 24))
	}
	return cs
}

// TestKernelsEqualReference compares every fast op with its reference, bit for bit except
// where the op is computed in another form.
func TestKernelsEqualReference(t *testing.T) {
	seen := map[string]bool{}
	for i, tc := range opCases() {
		seen[tc.op] = true
		t.Run(fmt.Sprintf("%s/%d", tc.op, i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			want := newCall(t, r, tc.n, tc.pos, tc.attrs, tc.args...)
			op, _ := ref.Lookup(tc.op)
			fresh := clone(t, want)
			op.Run(want)
			tol := 0.0
			if tc.op == "mla_attend" {
				tol = 2e-6
			}
			for _, workers := range []int{1, 3} {
				got := clone(t, fresh)
				e := newEngine(workers)
				kernels[tc.op](e, got)
				if a, b := poolSize(e), workers; a != b {
					t.Fatalf("got %d workers, want %d", a, b)
				}
				e.close()
				compare(t, tc.op, got, want, tol)
			}
		})
	}
	for op := range kernels {
		if !seen[op] {
			t.Errorf("fast op %s has no case", op)
		}
	}
}

func poolSize(e *engine) int { return len(e.pool.workers) }

// compare checks all operands except scratch.
func compare(t *testing.T, op string, got, want *ref.Call, tol float64) {
	t.Helper()
	for k := range want.Args {
		if op == "index_topk" && k == 4 {
			continue
		}
		g, w := &got.Args[k], &want.Args[k]
		if tol == 0 {
			if !slices.Equal(g.Data, w.Data) {
				t.Errorf("operand %d differs: %s", k, firstDiff(g, w))
			}
			continue
		}
		for i := range w.F32 {
			if d := math.Abs(float64(g.F32[i]) - float64(w.F32[i])); !(d <= tol*(1+math.Abs(float64(w.F32[i])))) {
				t.Fatalf("operand %d element %d: got %v, want %v", k, i, g.F32[i], w.F32[i])
			}
		}
	}
}

func firstDiff(g, w *ref.Arg) string {
	for i := range w.F32 {
		if math.Float32bits(g.F32[i]) != math.Float32bits(w.F32[i]) {
			return fmt.Sprintf("element %d: got %v, want %v", i, g.F32[i], w.F32[i])
		}
	}
	for i := range w.I32 {
		if g.I32[i] != w.I32[i] {
			return fmt.Sprintf("element %d: got %d, want %d", i, g.I32[i], w.I32[i])
		}
	}
	return "bytes differ"
}
