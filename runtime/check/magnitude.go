package check

import (
	"math"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// magnitudes names, by op, the operand that gives the terms of its sums their signs. Terms of
// both signs cancel, but their errors do not: a row's tolerance is a part of what its largest sum
// would be without signs. A row with one score, the first of a prompt, shows the difference.
var magnitudes = map[string]int{"index_scores": 1}

// sizes returns, for each live row of the step's result, the largest value that its op makes of
// the same inputs without signs; nil where values tell by themselves.
func (r *run) sizes(st *plan.Step) ([]float64, error) {
	signed, ok := magnitudes[r.plan.Str(st.Op)]
	if !ok {
		return nil, nil
	}
	c, err := r.fresh(st)
	if err != nil || c.Args[signed].Type != quant.F32 {
		return nil, err
	}
	a := &c.Args[signed]
	data := append([]byte(nil), a.Data...)
	for i := 3; i < len(data); i += 4 {
		data[i] &= 0x7f // the sign of a little-endian float32
	}
	if *a, err = ref.NewArg(a.Type, a.Shape, a.Col, a.Cols, data); err != nil {
		return nil, err
	}
	if err := r.evaluate(st, c); err != nil {
		return nil, err
	}
	y := &c.Args[len(c.Args)-1]
	tmp := make([]float32, y.Width)
	out := make([]float64, min(c.N, y.Rows))
	for i := range out {
		if v := largestOf(y.Row(i, tmp)); !math.IsNaN(v) {
			out[i] = v
		}
	}
	return out, nil
}
