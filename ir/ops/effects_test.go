package ops

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dsac/ir"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// An effectCase is one op on its own: 3 of 5 rows are live, 4 positions are cached. Operands
// are "type shape" as in "f32 5x8", with "<k" after it for lists of distinct values below k.
type effectCase struct {
	op    string
	attrs map[string]any
	args  string
	wrote map[string][2]int // bytes that a written operand defines, where not its live rows
}

const (
	liveRows, cachedRows = 3, 4
	guard                = 64
)

// appended are the bytes of the rows that this step adds to a cache.
func appended(width int) [2]int { return [2]int{cachedRows * width, (cachedRows + liveRows) * width} }

type kv = map[string]any

var effectCases = []effectCase{
	{"add", nil, "f32 5x8, f32 5x8, f32 5x8", nil},
	{"add_row", nil, "f32 5x8, f32 8, f32 5x8", nil},
	{"advance", nil, "i8 64, i32 5", map[string][2]int{"ids": {0, 4}}},
	{"allreduce", nil, "f32 5x8, f32 5x8", nil},
	{"append", nil, "f32 5x8, f16 16x8", map[string][2]int{"state": appended(16)}},
	{"append2", nil, "f32 5x8, f32 5x4, f32 16x12", map[string][2]int{"state": appended(48)}},
	{"concat", nil, "f32 5x8, f32 5x4, f32 5x12", nil},
	{"copy", nil, "f32 5x8, f32 5x8", nil},
	{"embed", nil, "i32 5 <9, q8_0 9x32, f32 5x32", nil},
	{"expert_combine", nil, "f32 5x2x6, f32 5x2, f32 5x6", nil},
	{"expert_down", nil, "f32 5x2x32, q8_0 4x6x32, i32 5x2 <4, f32 5x2, f32 5x6", nil},
	{"expert_down_add", nil, "f32 5x2x32, q8_0 4x6x32, i32 5x2 <4, f32 5x2, f32 5x6, f32 5x6", nil},
	{"expert_gate_up", nil, "f32 5x32, q8_0 4x6x32, q8_0 4x6x32, i32 5x2 <4, f32 5x2x6", nil},
	{"expert_matmul", nil, "f32 5x32, q8_0 4x6x32, i32 5x2 <4, f32 5x2x6", nil},
	{"gate_up", nil, "f32 5x32, q8_0 6x32, q8_0 6x32, f32 5x6", nil},
	{"gate_weights", kv{"norm": 1}, "f32 5x8, i32 5x3 <8, f32 5x3", nil},
	{"group_mask", kv{"groups": 4, "used": 2}, "f32 5x8, f32 5x8", nil},
	{"half_rows", nil, "f32 5x2x30, f16 5x2x192", nil},
	{"half_rows", kv{"flat": 1}, "f32 5x2x70, f16 5x320", nil},
	{"head_matmul", nil, "f32 5x2x32, q8_0 2x6x32, f32 5x2x6", nil},
	{"index_scores", kv{"scale": 0.5, "width": 20}, "f32 5x3x8, f32 5x3, f32 16x8, f32 5x20", nil},
	{"index_topk", kv{"scale": 0.5, "k": 4}, "f32 5x3x8, f32 5x3, f32 16x8, i32 5x4, f32 5x16", nil},
	{"layernorm", kv{"eps": 1e-5}, "f32 5x8, f32 8, f32 8, f32 5x8", nil},
	{"matmul", nil, "f32 5x32, q8_0 6x32, f32 5x6", nil},
	{"matmul_add", nil, "f32 5x32, q8_0 6x32, f32 5x6, f32 5x6", nil},
	{"mla_attend", kv{"scale": 0.25, "nope": 32}, "f32 5x2x40, f32 16x72, q8_0 2x64x32, q8_0 2x24x64, i32 5x7 <5, f32 5x2x24", nil},
	{"mqa_attend", kv{"scale": 0.25}, "f32 5x2x40, f32 5x2x16, f16 16x56, i32 5x7 <5, f32 5x2x40", nil},
	{"mqa_attend", kv{"scale": 0.25, "half": 1}, "f32 5x2x40, f32 5x2x16, f16 16x56, i32 5x7 <5, f16 5x2x192", nil},
	{"mqa_combine", nil, "f16 5x4x2x40, f32 5x4x2x2, f32 5x2x40", nil},
	{"mqa_partial", kv{"scale": 0.25, "splits": 4}, "f32 5x2x40, f32 5x2x16, f32 16x56, i32 5x7 <5, f16 5x4x2x40, f32 5x4x2x2", nil},
	{"mqa_values", nil, "f16 5x4x2x32, f32 5x4x2x2, q8_0 2x6x32, f32 5x2x6", nil},
	{"mul", nil, "f32 5x8, f32 5x8, f32 5x8", nil},
	{"rmsnorm", kv{"eps": 1e-5}, "f32 5x8, f32 8, f32 5x8", nil},
	{"rope", kv{"dims": 4, "off": 2, "base": 1e4, "style": "half"}, "f32 5x2x8, f32 5x2x8", nil},
	{"rope", kv{"dims": 4, "base": 1e4, "style": "interleaved"}, "f32 5x8, f32 5x8", nil},
	{"router", kv{"k": 3, "groups": 4, "used": 2}, "f32 5x8, f32 8, i32 5x3, f32 5x3", nil},
	{"sample", nil, "f32 5x8, i8 64, i8 8, i32 8 <99, i8 12", map[string][2]int{"token": {0, 12}}},
	{"sample_draw", nil, "f32 5x8, i8 64, i8 8, i8 8, i8 32, i8 8192, i32 8 <99, i8 12", map[string][2]int{"token": {0, 12}}},
	{"sample_masses", nil, "f32 5x8, i8 64, i8 8, i32 8 <99, i8 8, i8 4096", nil},
	{"sample_peaks", nil, "f32 5x8, i8 64, i8 8, i32 8 <99, i8 8, i8 4096", map[string][2]int{"peaks": {0, 8}, "masses": {0, 4096}}},
	{"sample_sift", nil, "f32 5x8, i8 64, i8 8, i32 8 <99, i8 8, i8 4096, i8 32, i8 8192", map[string][2]int{"kept": {0, 32}, "list": {0, 8192}}},
	{"select_topk", kv{"k": 4}, "f32 5x20, i32 5x4", nil},
	{"sigmoid", nil, "f32 5x8, f32 5x8", nil},
	{"silu_mul", nil, "f32 5x8, f32 5x8, f32 5x8", nil},
	{"slice", kv{"off": 2, "cols": 3}, "f32 5x8, f32 5x3", nil},
	{"take_rows", nil, "f32 5x8, f32 1x8", map[string][2]int{"y": {0, 32}}},
	{"topk", kv{"k": 3}, "f32 5x8, i32 5x3", nil},
}

// TestDeclaredEffects runs every op on its own, twice, with other bytes in what it writes and
// in its scratch each time, and guards around every operand. What the op table says must hold
// to the byte: inputs stay as they are, what is written does not depend on what was there, all
// of it is written, nothing else is, and neither is any guard.
func TestDeclaredEffects(t *testing.T) {
	done := map[string]bool{}
	for _, c := range effectCases {
		done[c.op] = true
		t.Run(c.op, func(t *testing.T) {
			op := Find(c.op)
			poisoned, zeroed := newTrial(t, c, 0x7f), newTrial(t, c, 0)
			poisoned.run(t)
			zeroed.run(t)
			for i, o := range op.Operands {
				a, b := poisoned.args[i].Data, zeroed.args[i].Data
				was := poisoned.before[i]
				if !poisoned.guarded(i) {
					t.Errorf("%s: bytes beside it have changed", o.Name)
				}
				switch o.Effect {
				case ir.Read:
					if !bytes.Equal(a, was) {
						t.Errorf("%s is read only, but has changed", o.Name)
					}
				case ir.ReadWrite:
					if !bytes.Equal(a, b) {
						t.Errorf("%s depends on bytes that are written or scratch", o.Name)
					}
				case ir.Write:
					lo, hi := c.written(&poisoned.args[i], o.Name)
					if !bytes.Equal(a[lo:hi], b[lo:hi]) {
						t.Errorf("bytes %d to %d of %s are not all written, or depend on what was there", lo, hi, o.Name)
					}
					if !bytes.Equal(a[:lo], was[:lo]) || !bytes.Equal(a[hi:], was[hi:]) {
						t.Errorf("bytes outside %d to %d of %s are written", lo, hi, o.Name)
					}
				}
			}
		})
	}
	for _, op := range Table {
		if !done[op.Name] {
			t.Errorf("%s has no case: nothing tests its effects", op.Name)
		}
	}
}

// TestAliasContracts: an op gives the same bits in place as it does into bytes of their own, for
// every pair that the op table allows.
func TestAliasContracts(t *testing.T) {
	for _, c := range effectCases {
		op := Find(c.op)
		for _, alias := range op.Alias {
			t.Run(c.op+"_over_"+alias.In, func(t *testing.T) {
				out, in := op.Operand(alias.Out), op.Operand(alias.In)
				apart, joined := newTrial(t, c, 0), newTrial(t, c, 0)
				joined.share(t, out, in)
				apart.run(t)
				joined.run(t)
				lo, hi := c.written(&apart.args[out], alias.Out)
				if !bytes.Equal(apart.args[out].Data[lo:hi], joined.args[out].Data[lo:hi]) {
					t.Errorf("%s in the bytes of %s gives another result", alias.Out, alias.In)
				}
			})
		}
	}
}

// written is the range of bytes that operand name defines.
func (c *effectCase) written(a *ref.Arg, name string) (lo, hi int) {
	if w, ok := c.wrote[name]; ok {
		return w[0], w[1]
	}
	return 0, liveRows * len(a.Data) / a.Shape[0]
}

// trial is one execution: operands, each between guards, and what they held before.
type trial struct {
	op     *ref.Op
	attrs  ref.Attrs
	args   []ref.Arg
	memory [][]byte
	before [][]byte
}

// newTrial makes the operands of a case. The same case gives the same inputs; what the op
// writes or uses as scratch is filled.
func newTrial(t *testing.T, c effectCase, fill byte) *trial {
	t.Helper()
	op := Find(c.op)
	f, ok := ref.Lookup(c.op)
	if !ok {
		t.Fatalf("%s has no reference", c.op)
	}
	x := &trial{op: f, attrs: attrsOf(op, c.attrs)}
	r := rand.New(rand.NewPCG(7, 7))
	for i, spec := range strings.Split(c.args, ", ") {
		typ, shape, below := parseOperand(t, spec)
		rows := 1
		for _, d := range shape[:len(shape)-1] {
			rows *= d
		}
		size, err := typ.RowBytes(shape[len(shape)-1])
		if err != nil {
			t.Fatal(err)
		}
		mem := bytes.Repeat([]byte{0xa5}, guard+rows*size+guard)
		data := mem[guard : guard+rows*size : guard+rows*size]
		clear(data)
		if e := op.Operands[i].Effect; e == ir.Write || e == ir.Scratch {
			copy(data, bytes.Repeat([]byte{fill}, len(data)))
		} else {
			fillInput(t, r, typ, data, rows, shape[len(shape)-1], below)
		}
		x.memory, x.before = append(x.memory, mem), append(x.before, slices.Clone(data))
		x.args = append(x.args, newArg(t, typ, shape, data))
	}
	if strings.HasPrefix(c.op, "sample") {
		copy(x.args[1].Data[plan.SmpTopP:], []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0x80, 0x3f}) // top-p 1, min-p 0, penalty 1
		x.before[1] = slices.Clone(x.args[1].Data)
	}
	return x
}

func newArg(t *testing.T, typ quant.Type, shape []int, data []byte) ref.Arg {
	t.Helper()
	a, err := ref.NewArg(typ, shape, 0, 0, data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// share lets operand out lie on the bytes of operand in.
func (x *trial) share(t *testing.T, out, in int) {
	t.Helper()
	a := &x.args[out]
	if len(a.Data) != len(x.args[in].Data) {
		t.Fatalf("operands %d and %d differ in size: the case cannot test the contract", out, in)
	}
	*a = newArg(t, a.Type, a.Shape, x.args[in].Data)
}

func (x *trial) run(t *testing.T) {
	t.Helper()
	args := slices.Clone(x.args)
	if err := x.op.Bind(args); err != nil {
		t.Fatal(err)
	}
	w := &ref.Work{}
	x.op.Run(&ref.Call{N: liveRows, Pos: cachedRows, Len: cachedRows + liveRows, Hi: liveRows, Args: args, Attrs: x.attrs, Work: w})
	if w.Err != nil {
		t.Fatal(w.Err)
	}
}

// guarded says whether the bytes beside operand i are as they were.
func (x *trial) guarded(i int) bool {
	m := x.memory[i]
	want := bytes.Repeat([]byte{0xa5}, guard)
	return bytes.Equal(m[:guard], want) && bytes.Equal(m[len(m)-guard:], want)
}

// attrsOf are the defaults of an op with those of a case over them.
func attrsOf(op *ir.Op, own map[string]any) ref.Attrs {
	a := ref.Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}
	set := func(key string, v any) {
		switch v := v.(type) {
		case int:
			a.Ints[key] = int64(v)
		case int64:
			a.Ints[key] = v
		case float64:
			a.Floats[key] = v
		case string:
			a.Texts[key] = v
		}
	}
	for _, s := range op.Attrs {
		set(s.Name, s.Default)
	}
	for key, v := range own {
		set(key, v)
	}
	return a
}

func parseOperand(t *testing.T, spec string) (typ quant.Type, shape []int, below int) {
	t.Helper()
	f := strings.Fields(spec)
	typ, err := quant.Parse(f[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range strings.Split(f[1], "x") {
		n, err := strconv.Atoi(d)
		if err != nil {
			t.Fatal(err)
		}
		shape = append(shape, n)
	}
	if len(f) > 2 {
		if _, err := fmt.Sscanf(f[2], "<%d", &below); err != nil {
			t.Fatalf("%q: %v", spec, err)
		}
	}
	return typ, shape, below
}

// fillInput writes normal values, or lists of distinct values below a limit with -1 after them.
func fillInput(t *testing.T, r *rand.Rand, typ quant.Type, data []byte, rows, width, below int) {
	t.Helper()
	size := len(data) / rows
	for i := range rows {
		row := make([]float32, width)
		switch typ {
		case quant.I8:
			return
		case quant.I32:
			list := r.Perm(below)
			slices.Sort(list[:min(width, below)])
			a := newArg(t, typ, []int{width}, data[i*size:][:size])
			for j := range width {
				a.I32[j] = -1
				if j < below {
					a.I32[j] = int32(list[j])
				}
			}
		default:
			for j := range row {
				row[j] = float32(r.NormFloat64())
			}
			if err := typ.Encode(data[i*size:][:size], row); err != nil {
				t.Fatal(err)
			}
		}
	}
}
