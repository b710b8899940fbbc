package ops

import (
	"fmt"

	"dsac/ir"
)

// MqaAttend: u[t,h] = sum over s in sel[t] of softmax(scale*(qa.c_s + qp.k_pe_s)) * c_s.
var MqaAttend = &ir.Op{
	Name:     "mqa_attend",
	Doc:      "u[t,h] = sum over s in sel[t] of softmax(scale*(qa.c_s + qp.k_pe_s)) * c_s",
	Operands: []ir.Operand{r("qa"), rc("qp"), rs("latent"), {Name: "sel", Effect: ir.Read, Group: true}, h(w("u"))},
	Attrs: []ir.AttrSpec{
		halfAttr,
		{Name: "scale", Kind: ir.FloatAttr, Doc: "of the scores"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		qa, qp, latent := in[0], in[1], in[2]
		if err := activation("qa", qa, 3); err != nil {
			return nil, err
		}
		if qp != qa.WithLast(qp.Last()) {
			return nil, errShape("qp", qp, "the rows of qa "+qa.String())
		}
		if latent.Rank != 2 || latent.Last().K != qa.Last().K+qp.Last().K {
			return nil, errShape("latent", latent, fmt.Sprintf("rows of %s+%s", qa.Last(), qp.Last()))
		}
		if err := list("sel", in[3], qa.Dims[0]); err != nil {
			return nil, err
		}
		if a.Find(halfAttr.Name) == int64(1) { // mqa_partial, which has this rule too, has no such attribute
			return []ir.Type{rounded(qa)}, nil
		}
		return []ir.Type{qa}, nil
	},
	Shard:  headwise(map[int]int{0: 1, 1: 1}),
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "mqa_attend",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		t, h := float64(b.Extent(in[0].Dims[0])), float64(in[0].Dims[1].K)
		return 2 * t * h * float64(b.Extent(in[3].Last())) * (2*float64(in[0].Last().K) + float64(in[1].Last().K))
	},
}
