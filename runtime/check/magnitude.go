package check

import (
	"slices"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// magnitudes names, by op, the operand that gives the terms of its scores their signs. Terms of
// both signs cancel, but their errors do not: a row's tolerance is a part of what its largest
// score would be without signs. A row with one score, the first of a prompt, shows the difference.
var magnitudes = map[string]int{"index_scores": 1, "index_topk": 1}

// sizer gives the largest score that the op of a step makes for a row without signs.
type sizer func(row int) float64

// of is 0 where the scores tell by themselves.
func (s sizer) of(row int) float64 {
	if s == nil {
		return 0
	}
	return s(row)
}

// sizes returns the sizer of a step, nil where it needs none.
func (r *run) sizes(st *plan.Step) (sizer, error) {
	signed, ok := magnitudes[r.plan.Str(st.Op)]
	if !ok {
		return nil, nil
	}
	c, err := r.call(st)
	if err != nil || c.Args[signed].Type != quant.F32 {
		return nil, err
	}
	a := &c.Args[signed]
	data := slices.Clone(a.Data)
	for i := 3; i < len(data); i += 4 {
		data[i] &= 0x7f // the sign of a little-endian float32
	}
	if *a, err = ref.NewArg(a.Type, a.Shape, a.Col, a.Cols, data); err != nil {
		return nil, err
	}
	known := map[int]float64{}
	return func(row int) float64 {
		size, ok := known[row]
		if !ok {
			if scores, err := indexScores(c, row); err == nil {
				size = largestOf(scores)
			}
			known[row] = size
		}
		return size
	}, nil
}
