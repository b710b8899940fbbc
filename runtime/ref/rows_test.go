package ref

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// rowCase is a call of a row-wise op with T = 6 rows; written lists the operands it writes.
type rowCase struct {
	op      string
	at      Attrs
	args    []Arg
	written []int
}

func rowCases(t *testing.T) []rowCase {
	r := rand.New(rand.NewPCG(5, 5))
	f := func(shape ...int) Arg { return arg(t, r, "f32", shape...) }
	h := func(shape ...int) Arg { return arg(t, r, "f16", shape...) }
	i := func(shape ...int) Arg { return arg(t, r, "i32", shape...) }
	route := attrs("k", 2, "norm", 1, "scale", 2.5, "floor", 1e-4, "groups", 2, "used", 1)
	rope := attrs("dims", 4, "off", 2, "base", 1e4, "style", "half")
	return []rowCase{
		{"embed", Attrs{}, []Arg{i(6), h(10, 8), f(6, 8)}, []int{2}},
		{"rmsnorm", attrs("eps", 1e-6), []Arg{f(6, 2, 8), f(8), h(6, 2, 8)}, []int{2}},
		{"layernorm", attrs("eps", 1e-6), []Arg{f(6, 8), f(8), f(8), f(6, 8)}, []int{3}},
		{"rope", rope, []Arg{f(6, 2, 8), f(6, 2, 8)}, []int{1}},
		{"concat", Attrs{}, []Arg{f(6, 3), h(6, 5), f(6, 8)}, []int{2}},
		{"append", Attrs{}, []Arg{f(6, 8), h(20, 8)}, []int{1}},
		{"append2", Attrs{}, []Arg{f(6, 3), f(6, 5), f(20, 8)}, []int{2}},
		{"slice", attrs("off", 3), []Arg{f(6, 2, 8), f(6, 2, 4)}, []int{1}},
		{"half_rows", Attrs{}, []Arg{f(6, 2, 8), h(6, 2, 192)}, []int{1}},
		{"copy", Attrs{}, []Arg{f(6, 8), h(6, 8)}, []int{1}},
		{"copy", Attrs{}, []Arg{i(6, 8), i(6, 8)}, []int{1}},
		{"matmul", Attrs{}, []Arg{f(6, 2, 4), h(3, 8), f(6, 3)}, []int{2}},
		{"matmul_add", Attrs{}, []Arg{f(6, 8), f(3, 8), f(6, 3), f(6, 3)}, []int{3}},
		{"gate_up", Attrs{}, []Arg{f(6, 8), f(3, 8), f(3, 8), f(6, 3)}, []int{3}},
		{"head_matmul", Attrs{}, []Arg{f(6, 2, 8), f(2, 3, 8), f(6, 2, 3)}, []int{2}},
		{"mla_attend", attrs("scale", 0.3, "nope", 5), []Arg{f(6, 2, 8), f(20, 7), f(2, 4, 5), f(2, 3, 4), i(6, 3), f(6, 2, 3)}, []int{5}},
		{"mqa_attend", attrs("scale", 0.3), []Arg{f(6, 2, 4), f(6, 2, 3), h(20, 7), i(6, 3), f(6, 2, 4)}, []int{4}},
		{"mqa_attend", attrs("scale", 0.3), []Arg{f(6, 2, 4), f(6, 2, 3), h(20, 7), i(6, 3), h(6, 2, 192)}, []int{4}},
		{"mqa_partial", attrs("scale", 0.3, "splits", 2), []Arg{f(6, 2, 4), f(6, 2, 3), h(20, 7), i(6, 3), h(6, 2, 2, 4), f(6, 2, 2, 2)}, []int{4, 5}},
		{"mqa_combine", Attrs{}, []Arg{h(6, 3, 2, 4), f(6, 3, 2, 2), f(6, 2, 4)}, []int{2}},
		{"mqa_values", Attrs{}, []Arg{h(6, 3, 2, 4), f(6, 3, 2, 2), f(2, 5, 4), f(6, 2, 5)}, []int{3}},
		{"index_scores", attrs("scale", 0.3), []Arg{f(6, 2, 4), f(6, 2), h(20, 4), f(6, 24)}, []int{3}},
		{"select_topk", attrs("k", 3), []Arg{f(6, 24), i(6, 3)}, []int{1}},
		{"allreduce", Attrs{}, []Arg{f(6, 8), f(6, 8)}, []int{1}},
		{"topk", attrs("k", 3), []Arg{f(6, 8), i(6, 3)}, []int{1}},
		{"group_mask", route, []Arg{f(6, 8), f(6, 8)}, []int{1}},
		{"gate_weights", route, []Arg{f(6, 8), i(6, 2), f(6, 2)}, []int{2}},
		{"router", route, []Arg{f(6, 8), f(8), i(6, 2), f(6, 2)}, []int{2, 3}},
		{"expert_matmul", Attrs{}, []Arg{f(6, 8), f(4, 3, 8), i(6, 2), f(6, 2, 3)}, []int{3}},
		{"expert_gate_up", Attrs{}, []Arg{f(6, 2, 8), f(4, 3, 8), f(4, 3, 8), i(6, 2), f(6, 2, 3)}, []int{4}},
		{"expert_combine", Attrs{}, []Arg{f(6, 2, 8), f(6, 2), f(6, 8)}, []int{2}},
		{"expert_down", Attrs{}, []Arg{f(6, 2, 8), f(4, 3, 8), i(6, 2), f(6, 2), f(6, 3)}, []int{4}},
		{"expert_down_add", Attrs{}, []Arg{f(6, 2, 8), f(4, 3, 8), i(6, 2), f(6, 2), f(6, 3), f(6, 3)}, []int{5}},
		{"sigmoid", Attrs{}, []Arg{f(6, 8), f(6, 8)}, []int{1}},
		{"silu_mul", Attrs{}, []Arg{f(6, 8), f(6, 8), f(6, 8)}, []int{2}},
		{"add", Attrs{}, []Arg{f(6, 8), f(6, 8), f(6, 8)}, []int{2}},
		{"mul", Attrs{}, []Arg{f(6, 8), f(6, 8), f(6, 8)}, []int{2}},
		{"add_row", Attrs{}, []Arg{f(6, 8), f(8), f(6, 8)}, []int{2}},
	}
}

// TestRowWiseOps: an op marked Rows gives the same bytes in one part and in several, writes
// only its results, and leaves rows at and past n alone.
func TestRowWiseOps(t *testing.T) {
	const n, pos = 4, 9
	seen := map[string]bool{}
	for _, c := range rowCases(t) {
		seen[c.op] = true
		copies := func() []Arg {
			var out []Arg
			for _, a := range c.args {
				b, err := NewArg(a.Type, a.Shape, a.Col, a.Cols, bytes.Clone(a.Data))
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, b)
			}
			return out
		}
		whole, parts := copies(), copies()
		run(t, c.op, n, pos, c.at, whole...)
		runRows(t, c.op, n, pos, 3, 4, c.at, parts...)
		runRows(t, c.op, n, pos, 0, 1, c.at, parts...)
		runRows(t, c.op, n, pos, 1, 3, c.at, parts...)
		for k := range whole {
			if !bytes.Equal(whole[k].Data, parts[k].Data) {
				t.Errorf("%s: operand %d differs when rows are split", c.op, k)
			}
			first, last := 0, 0 // rows that may change
			for _, w := range c.written {
				if w == k {
					first, last = 0, n*whole[k].Inner()
					if whole[k].Shape[0] != 6 {
						first, last = pos, pos+n
					}
				}
			}
			size := whole[k].RowBytes()
			if !bytes.Equal(whole[k].Data[:first*size], c.args[k].Data[:first*size]) || !bytes.Equal(whole[k].Data[last*size:], c.args[k].Data[last*size:]) {
				t.Errorf("%s: operand %d changed outside of rows [%d, %d)", c.op, k, first, last)
			}
			if last > first && bytes.Equal(whole[k].Data[first*size:last*size], c.args[k].Data[first*size:last*size]) {
				t.Errorf("%s: operand %d was not written", c.op, k)
			}
		}
	}
	for _, op := range Table {
		if op.Rows && !seen[op.Name] {
			t.Errorf("op %s has no case", op.Name)
		}
	}
}
