package check

import (
	"fmt"
	"math"
	"slices"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// A choice is an op that lists what it chose by scores which a device may compute with an
// error: another list is right as well when it swaps scores closer than that error.
type choice struct {
	list   int    // operand that holds the list
	scores string // op whose tolerance the scores have, given its inputs
	inputs string // op whose tolerance is that of what they are made of
	// score returns the scores of a row of the list, and what of the row may be chosen.
	score func(c *ref.Call, row int) ([]float32, error)
	// gate is the operand with one value for each element of the list, or 0.
	gate int
}

// choices lists the ops that choose by scores of their own. Those that choose by scores which
// they are given have no error, and their lists must be equal.
var choices = map[string]choice{
	"index_topk": {list: 3, scores: "index_scores", inputs: "matmul", score: indexScores},
	"router":     {list: 2, scores: "router", inputs: "matmul", score: routerScores, gate: 3},
}

// lists judges the list of a step that chooses. For operands that need no comparison of their
// own it returns nil; for those that depend on the list, the bytes to compare with.
func (r *run) lists(stat *OpReport, size sizer) (map[int][]byte, error) {
	st := &r.plan.Steps[r.step.Index]
	ch, ok := choices[r.plan.Str(st.Op)]
	if !ok {
		return nil, nil
	}
	call, err := r.call(st)
	if err != nil {
		return nil, err
	}
	got, want, err := r.both(st, ch.list)
	if err != nil {
		return nil, err
	}
	judged := map[int][]byte{ch.list: nil}
	for row := range min(int(r.at.N), got.Rows) {
		g, w := got.I32[row*got.Width:][:got.Width], want.I32[row*got.Width:][:got.Width]
		if slices.Equal(g, w) {
			continue
		}
		scores, err := ch.score(call, row)
		if err != nil {
			return nil, err
		}
		n, gap, bad := swaps(g, w, scores)
		if slack := r.slack(ch.scores, scores, size.of(row)); bad == "" && gap > slack {
			bad = fmt.Sprintf("%d swaps, of scores that differ by up to %.3g, allowed %.3g", n, gap, slack)
		}
		if bad != "" {
			kind := List
			if slices.Contains(g, math.MinInt32) {
				kind, bad = Unwritten, "was not written"
			}
			r.found(Finding{Kind: kind, Operand: r.step.Params[ch.list].Name, Byte: int64(4 * row * got.Width), Detail: fmt.Sprintf("list of row %d: %s", row, bad)})
			return judged, nil
		}
		stat.Swaps += n
		if ch.gate > 0 {
			if judged[ch.gate] == nil {
				judged[ch.gate] = slices.Clone(r.host.BufferAt(r.step.Params[ch.gate].Buf))
			}
			if err := r.regate(st, ch, call, row, g, judged[ch.gate]); err != nil {
				return nil, err
			}
		}
	}
	return judged, nil
}

// both returns an operand as the device and as the host left it.
func (r *run) both(st *plan.Step, operand int) (got, want ref.Arg, err error) {
	q := &r.step.Params[operand]
	l := elements(r.plan, &r.plan.Ops(st)[operand])
	if got, err = l.arg(r.step.bytes(q)); err == nil {
		want, err = l.arg(r.host.BufferAt(q.Buf))
	}
	return got, want, err
}

// regateList gives a row of weights those of another list, if operand is such a list. data returns
// what the step found in its operands, gates the bytes of the weights.
func (r *run) regateList(st *plan.Step, operand, row int, list []int32, data, gates func(operand int) []byte) error {
	ch := choices[r.plan.Str(st.Op)]
	if ch.gate == 0 || ch.list != operand {
		return nil
	}
	call, err := r.callOn(st, data)
	if err != nil {
		return err
	}
	return r.regate(st, ch, call, row, list, gates(ch.gate))
}

// regate writes to row `row` of gates what the weights of another list are.
func (r *run) regate(st *plan.Step, ch choice, c *ref.Call, row int, list []int32, gates []byte) error {
	p, err := sigmoids(&c.Args[0], row)
	if err != nil {
		return err
	}
	out, err := elements(r.plan, &r.plan.Ops(st)[ch.gate]).arg(gates)
	if err != nil {
		return err
	}
	one, err := newF32(1, out.Width)
	if err != nil {
		return err
	}
	idx := ref.Arg{Type: quant.I32, Shape: []int{1, len(list)}, Rows: 1, Width: len(list), Cols: len(list), I32: list}
	op, _ := ref.Lookup("gate_weights")
	op.Run(&ref.Call{N: 1, Hi: 1, Args: []ref.Arg{p, idx, one}, Attrs: c.Attrs, Work: c.Work})
	out.SetRow(row, one.F32)
	return nil
}

// swaps compares two lists as sets: how many elements differ, and the largest difference of
// scores between an element left out and one taken instead. bad says why the list is none that
// can be chosen.
func swaps(got, want []int32, scores []float32) (n int, gap float64, bad string) {
	last := int32(-1)
	end := false
	for i, v := range got {
		switch {
		case v == -1:
			end = true
		case v < 0 || int(v) >= len(scores):
			return 0, 0, fmt.Sprintf("element %d is %d, of %d that may be chosen", i, v, len(scores))
		case end || v <= last:
			return 0, 0, fmt.Sprintf("element %d is %d after %d: want ascending, then -1", i, v, got[max(0, i-1)])
		default:
			last = v
		}
	}
	lost, taken := math.Inf(-1), math.Inf(1)
	more := 0
	for _, v := range want {
		if v >= 0 && !slices.Contains(got, v) {
			n++
			lost = max(lost, float64(scores[v]))
		}
	}
	for _, v := range got {
		if v >= 0 && !slices.Contains(want, v) {
			more++
			taken = min(taken, float64(scores[v]))
		}
	}
	if n != more {
		return 0, 0, fmt.Sprintf("%d elements are missing, %d are too many", n, more)
	}
	return n, lost - taken, ""
}

// call makes the reference's view of the step's operands, as they were before the step on the
// host's data.
func (r *run) call(st *plan.Step) (*ref.Call, error) {
	return r.callOn(st, r.given(st))
}

// given returns operands as the step on the device found them.
func (r *run) given(st *plan.Step) func(operand int) []byte {
	return func(operand int) []byte {
		if q := r.step.Params[operand]; q.Piece != Held {
			return r.was[q.Piece][q.Off:][:q.Size]
		}
		return r.host.BufferAt(r.plan.Ops(st)[operand].Buf)
	}
}

// callOn is call with other data of the operands.
func (r *run) callOn(st *plan.Step, data func(operand int) []byte) (*ref.Call, error) {
	at := r.at
	c := &ref.Call{N: int(at.N), Pos: int(at.Pos), Len: int(at.Len), Hi: int(at.N), Work: &ref.Work{},
		Attrs: ref.Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}}
	for _, a := range r.plan.AttrList(st.Attrs) {
		key := r.plan.Str(a.Key)
		switch a.Kind {
		case plan.Int:
			c.Attrs.Ints[key], _ = r.plan.IntAttr(st.Attrs, key)
		case plan.Float:
			c.Attrs.Floats[key], _ = r.plan.FloatAttr(st.Attrs, key)
		case plan.Text:
			c.Attrs.Texts[key], _ = r.plan.TextAttr(st.Attrs, key)
		}
	}
	for i, o := range r.plan.Ops(st) {
		l := elements(r.plan, &o)
		a, err := ref.NewArg(l.t, l.shape, int(o.Col), int(o.Cols), data(i))
		if err != nil {
			return nil, fmt.Errorf("operand %d: %w", i, err)
		}
		c.Args = append(c.Args, a)
	}
	return c, nil
}
