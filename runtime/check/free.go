package check

import (
	"fmt"
	"math"
	"slices"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// Free running. The device goes on from its own results, lists included, and draws its own
// token; only the ids of the next run are the host's. Where it chooses, its list must be right
// in two ways:
//
//   - It is the one that the host chooses from the device's own inputs, but for swaps of scores
//     closer than the tolerance of the op that makes them.
//   - As long as no list of this position or one before has differed from the host's own, the
//     errors that have added up do not reach further either: the first lists that differ are
//     swaps of scores closer than that and the tolerance of the inputs, times the root of the number
//     of layers that have chosen: each has rounded anew what it got from the one before. What comes
//     after a swap is another computation, which is counted but not judged.

// scoring is the op that makes scores for others.
const scoring = "index_scores"

// given are the ops that choose by scores which an op before them made: see choices.
var given = map[string]choice{
	"select_topk": {list: 1, scores: scoring, inputs: "matmul", score: givenScores},
}

// givenScores are those that may be chosen of operand 0.
func givenScores(c *ref.Call, row int) ([]float32, error) {
	x := &c.Args[0]
	return x.Row(row, make([]float32, x.Cols))[:min(x.Cols, c.Pos+row+1)], nil
}

// free judges the choices of the current step, if it makes any.
func (r *run) free(st *plan.Step) error {
	name := r.plan.Str(st.Op)
	r.token(st)
	ch, ok := choices[name]
	if !ok {
		ch, ok = given[name]
	}
	if !ok && name != scoring {
		return nil
	}
	c, err := r.reference(st)
	if err != nil {
		return err
	}
	if name == scoring { // kept for the op that chooses by them
		last := len(c.Args) - 1
		r.exact[r.step.Params[last].Buf] = c.Args[last]
		if r.unsigned, err = r.sizes(st); r.unsigned != nil {
			for row := range int(r.at.N) {
				r.unsigned(row) // now: its inputs go
			}
		}
		return err
	}
	size := r.unsigned
	if _, ok := given[name]; !ok {
		if size, err = r.sizes(st); err != nil {
			return err
		}
	}
	got, host, err := r.both(st, ch.list)
	if err != nil {
		return err
	}
	r.layers[name]++
	layers := math.Sqrt(float64(r.layers[name]))
	drifted := r.chain.drifted
	for row := range min(int(r.at.N), got.Rows) {
		of := func(a *ref.Arg) []int32 { return a.I32[row*a.Width:][:a.Width] }
		g, own, host := of(&got), of(&c.Args[ch.list]), of(&host)
		if slices.Equal(g, own) && slices.Equal(g, host) {
			continue
		}
		scores, err := ch.score(c, row)
		if err != nil {
			return err
		}
		slack := r.slack(ch.scores, scores, size.of(row))
		bad := near(g, own, scores, slack)
		if !slices.Equal(g, host) {
			drifted = min(drifted, int(r.at.Pos)+row)
			// Two errors lie between the device's scores and the host's: that of the op, and that
			// of what it was given.
			worse := r.differs(g, host, scores, slack+layers*r.slack(ch.inputs, scores, size.of(row)), row)
			if bad == "" {
				bad = worse
			}
		}
		if bad != "" {
			r.found(Finding{Kind: List, Operand: r.step.Params[ch.list].Name, Byte: int64(4 * row * got.Width), Detail: fmt.Sprintf("list of row %d: %s", row, bad)})
		}
	}
	r.chain.drifted = drifted
	return nil
}

// near says what is wrong with a list beside the one that its own inputs give.
func near(got, own []int32, scores []float32, slack float64) string {
	n, gap, bad := swaps(got, own, scores)
	if bad == "" && n > 0 && gap > slack {
		bad = fmt.Sprintf("from its own inputs, %d swaps of scores that differ by up to %.3g, allowed %.3g", n, gap, slack)
	}
	return bad
}

// differs notes a list that is not the host's, and says what is wrong with that.
func (r *run) differs(got, host []int32, scores []float32, slack float64, row int) (bad string) {
	n, gap, bad := swaps(got, host, scores)
	if bad != "" {
		return bad
	}
	st := &r.plan.Steps[r.step.Index]
	x := Choice{Entry: r.entry, Step: r.plan.Str(st.Name), Op: r.plan.Str(st.Op), Row: row, Swaps: n,
		Gap: Number(math.Abs(gap)), Allowed: Number(slack), After: int(r.at.Pos)+row >= r.chain.drifted}
	r.differing++
	if len(r.rep.Choices) < maxChoices {
		r.rep.Choices = append(r.rep.Choices, x)
	}
	if !x.After && x.Gap > x.Allowed {
		return fmt.Sprintf("%d swaps against the host, of scores that differ by up to %.3g, allowed %.3g", n, x.Gap, x.Allowed)
	}
	return ""
}

// slack is how far scores of a row may be apart whose elements are swapped: the tolerance of the
// op that makes them. size is that of the row where terms cancel, see magnitudes.
func (r *run) slack(op string, scores []float32, size float64) float64 {
	abs, rel := r.opt.Tol(op)
	return abs + rel*max(largestOf(scores), size)
}

// token compares the token that a step drew with the host's.
func (r *run) token(st *plan.Step) {
	if op := r.plan.Str(st.Op); op != "sample" && op != "sample_draw" {
		return
	}
	for i, o := range r.plan.Ops(st) {
		if b := &r.plan.Bufs[o.Buf]; o.Effect == plan.W && b.Size >= plan.CtlSize {
			q := &r.step.Params[i]
			same := slices.Equal(r.step.bytes(q)[plan.CtlToken:][:4], r.host.BufferAt(q.Buf)[plan.CtlToken:][:4])
			r.sameToken = &same
		}
	}
}

// reference runs the reference of a step on the device's inputs, with scores that the
// reference made where it chooses by them.
func (r *run) reference(st *plan.Step) (*ref.Call, error) {
	c, err := r.call(st)
	if err != nil {
		return nil, err
	}
	for i, o := range r.plan.Ops(st) {
		a := &c.Args[i]
		if x, ok := r.exact[o.Buf]; ok && o.Effect == plan.R {
			*a = x
		} else if o.Effect != plan.R {
			if *a, err = ref.NewArg(a.Type, a.Shape, a.Col, a.Cols, make([]byte, len(a.Data))); err != nil {
				return nil, err
			}
		}
	}
	op, ok := ref.Lookup(r.plan.Str(st.Op))
	if !ok {
		return nil, fmt.Errorf("op %s has no reference", r.plan.Str(st.Op))
	}
	if err := op.Bind(c.Args); err != nil {
		return nil, err
	}
	op.Run(c)
	return c, c.Work.Err
}

// list says whether an operand is a list of what a step chooses.
func (l layout) list() bool { return !l.raw && l.t == quant.I32 && len(l.shape) >= 2 }
