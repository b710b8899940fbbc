package passes

import (
	"dsac/ir"
	"dsac/ir/ops"
)

// absorb chooses between the two forms of MLA attention by their multiply-adds at the
// entry's extents. The expanded form computes keys and values of every visible row; the
// absorbed one moves k_b to the query and v_b behind the sum, so that rows of the latent
// cache serve as keys and values (docs/spec/glm-dsa.md, 2.2). It needs nothing; it leaves
// mla_attend only where expansion is cheaper; it never changes what is computed beyond
// rounding. GPUs have kernels for the absorbed form only.
func absorb(u *Unit) error {
	r := rewrite(u.G)
	r.visit(func(n *ir.Node) bool {
		if n.Op != ops.MlaAttend || u.Opt.target().GPU == nil && !absorbedIsCheaper(n, u.Bind) {
			return false
		}
		q, latent, kb, vb, sel := n.In[0], n.In[1], n.In[2], n.In[3], n.In[4]
		nope := n.Attrs.Int("nope")
		rope := int(q.Val.Type.Last().K) - nope
		cut := func(suffix string, off, cols int) ir.Use {
			a := ir.Attrs{{Name: "cols", Val: int64(cols)}, {Name: "off", Val: int64(off)}}
			return ir.Use{Val: r.add(n, suffix, ops.Slice, []ir.Use{q}, a).Out[0]}
		}
		qn, qp := cut(".nope", 0, nope), cut(".rope", nope, rope)
		qa := r.add(n, ".absorb", ops.HeadMatmul, []ir.Use{qn, kb}, nil)
		scale := ir.Attrs{{Name: "scale", Val: n.Attrs.Find("scale")}}
		att := r.add(n, ".mqa", ops.MqaAttend, []ir.Use{{Val: qa.Out[0]}, qp, latent, sel}, scale)
		o := r.add(n, "", ops.HeadMatmul, []ir.Use{{Val: att.Out[0]}, vb}, nil)
		r.replace(n, o.Out[0])
		return true
	})
	return nil
}

func absorbedIsCheaper(n *ir.Node, b ir.Bind) bool {
	expanded := n.Op.Flops(n.InTypes(), n.OutTypes(), n.Attrs, b)
	q, kb, vb, sel := n.In[0].Type(), n.In[2].Type(), n.In[3].Type(), n.In[4].Type()
	qa := q.WithLast(kb.Dims[1])
	qp := q.WithLast(ir.Fixed(int(q.Last().K) - n.Attrs.Int("nope")))
	absorbed := ops.HeadMatmul.Flops([]ir.Type{q, kb}, []ir.Type{qa}, nil, b) +
		ops.MqaAttend.Flops([]ir.Type{qa, qp, n.In[1].Type(), sel}, []ir.Type{qa}, nil, b) +
		ops.HeadMatmul.Flops([]ir.Type{qa, vb}, n.OutTypes(), nil, b)
	return absorbed <= expanded
}
