package ops

import (
	"fmt"

	"dsac/ir"
)

// MlaAttend: o[t,h] = sum over s in sel[t] of softmax(scale*(q_nope.(k_b[h]^T c_s) + q_pe.k_pe_s)) * v_b[h] c_s.
var MlaAttend = &ir.Op{
	Name:     "mla_attend",
	Doc:      "o[t,h] = sum over s in sel[t] of softmax(scale*(q_nope.(k_b[h]^T c_s) + q_pe.k_pe_s)) * v_b[h] c_s",
	Operands: []ir.Operand{r("q"), rs("latent"), r("k_b"), r("v_b"), {Name: "sel", Effect: ir.Read, Group: true}, w("o")},
	Attrs: []ir.AttrSpec{
		{Name: "nope", Kind: ir.IntAttr, Doc: "elements of a head of q that are not rotated"},
		{Name: "scale", Kind: ir.FloatAttr, Doc: "of the scores"},
	},
	Type: func(in []ir.Type, a ir.Attrs) ([]ir.Type, error) {
		q, latent, kb, vb := in[0], in[1], in[2], in[3]
		if err := activation("q", q, 3); err != nil {
			return nil, err
		}
		nope := a.Int("nope")
		rope := int(q.Last().K) - nope
		if latent.Rank != 2 || rope <= 0 {
			return nil, errShape("latent", latent, "[C x R+P] with P rotated elements")
		}
		rank := ir.Fixed(int(latent.Last().K) - rope)
		if kb.Rank != 3 || kb.Dims[0] != q.Dims[1] || kb.Dims[1] != rank || int(kb.Dims[2].K) != nope {
			return nil, errShape("k_b", kb, fmt.Sprintf("[%s x %s x %d]", q.Dims[1], rank, nope))
		}
		if vb.Rank != 3 || vb.Dims[0] != q.Dims[1] || vb.Dims[2] != rank {
			return nil, errShape("v_b", vb, fmt.Sprintf("[%s x V x %s]", q.Dims[1], rank))
		}
		if err := list("sel", in[4], q.Dims[0]); err != nil {
			return nil, err
		}
		return []ir.Type{q.WithLast(vb.Dims[1])}, nil
	},
	Shard:  headwise(map[int]int{0: 1, 2: 0, 3: 0}),
	Tol:    ir.Tol{Abs: 0, Rel: 0.002, Why: whyF16},
	Kernel: "mla_attend",
	Flops: func(in, out []ir.Type, a ir.Attrs, b ir.Bind) float64 {
		// Keys and values of every row that may be chosen are expanded once per step; then each
		// query meets at most k of them.
		t, h := float64(b.Extent(in[0].Dims[0])), float64(in[0].Dims[1].K)
		rank := float64(in[2].Dims[1].K)
		q, v := float64(in[0].Last().K), float64(in[3].Dims[1].K)
		expand := float64(b.Extent(in[1].Dims[0])) * h * rank * (float64(in[2].Dims[2].K) + v)
		return 2 * (expand + t*h*float64(b.Extent(in[4].Last()))*(q+v))
	},
}
