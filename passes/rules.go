package passes

import (
	"dsac/ir"
	"dsac/ir/ops"
)

// rule replaces a chain of ops that ends in root. apply returns false when the chain is not
// there; otherwise it has added the fused node and replaced root's results.
type rule struct {
	root  *ir.Op
	doc   string
	apply func(r *rewriter, n *ir.Node) bool
	// apart says of a root that the chain is faster as it is; nil: never.
	apart func(u *Unit, n *ir.Node) bool
}

// rules lists the fusions; of two that match, the first wins.
var rules = []rule{
	{ops.SiluMul, "silu_mul(matmul(x, g), matmul(x, u)) = gate_up(x, g, u)", fuseGateUp, nil},
	{ops.SiluMul, "the same for chosen experts", fuseExpertGateUp, nil},
	{ops.ExpertCombine, "expert_combine(expert_matmul(h, w, e), g) = expert_down(h, w, e, g)", fuseExpertDown, expertsApart},
	{ops.Add, "add(matmul(x, w), r) = matmul_add(x, w, r)", fuseMatmulAdd, nil},
	{ops.Add, "add(expert_down(h, w, e, g), r) = expert_down_add(h, w, e, g, r)", fuseExpertDownAdd, nil},
	{ops.HeadMatmul, "head_matmul(mqa_combine(p, s), w) = mqa_values(p, s, w)", fuseValues, nil},
	{ops.Append, "append(concat(a, b)) = append2(a, b)", fuseAppend2, nil},
	{ops.GateWeights, "sigmoid, add_row, group_mask, topk, gate_weights = router", fuseRouter, nil},
}

func fuseGateUp(r *rewriter, n *ir.Node) bool {
	g, u := r.only(n.In[0], ops.Matmul), r.only(n.In[1], ops.Matmul)
	if g == nil || u == nil || g == u || g.In[0] != u.In[0] || g.Attrs.Int("heads") > 1 || u.Attrs.Int("heads") > 1 {
		return false
	}
	f := r.add(n, "", ops.GateUp, []ir.Use{g.In[0], g.In[1], u.In[1]}, nil)
	r.replace(n, f.Out[0])
	return true
}

func fuseExpertGateUp(r *rewriter, n *ir.Node) bool {
	g, u := r.only(n.In[0], ops.ExpertMatmul), r.only(n.In[1], ops.ExpertMatmul)
	if g == nil || u == nil || g == u || g.In[0] != u.In[0] || g.In[2] != u.In[2] {
		return false
	}
	f := r.add(n, "", ops.ExpertGateUp, []ir.Use{g.In[0], g.In[1], u.In[1], g.In[2]}, nil)
	r.replace(n, f.Out[0])
	return true
}

func fuseExpertDown(r *rewriter, n *ir.Node) bool {
	m := r.only(n.In[0], ops.ExpertMatmul)
	if m == nil || m.In[0].Val.Type.Rank != 3 {
		return false
	}
	f := r.add(n, "", ops.ExpertDown, []ir.Use{m.In[0], m.In[1], m.In[2], n.In[1]}, nil)
	f.Dist = m.Dist
	r.replace(n, f.Out[0])
	return true
}

func fuseMatmulAdd(r *rewriter, n *ir.Node) bool {
	return fuseAdd(r, n, func(m *ir.Node, res ir.Use) *ir.Node {
		if m.Attrs.Int("heads") > 1 || m.Dist {
			return nil
		}
		return r.add(n, "", ops.MatmulAdd, []ir.Use{m.In[0], m.In[1], res}, nil)
	}, ops.Matmul, 2)
}

func fuseExpertDownAdd(r *rewriter, n *ir.Node) bool {
	return fuseAdd(r, n, func(m *ir.Node, res ir.Use) *ir.Node {
		if m.Dist {
			return nil
		}
		return r.add(n, "", ops.ExpertDownAdd, append(append([]ir.Use{}, m.In...), res), nil)
	}, ops.ExpertDown, 4)
}

// fuseAdd joins an addition with the op that makes one of its operands; the other becomes
// operand resAt. A request for in-place moves along, if it named the other.
func fuseAdd(r *rewriter, n *ir.Node, join func(m *ir.Node, res ir.Use) *ir.Node, op *ir.Op, resAt int) bool {
	for side := range 2 {
		m := r.only(n.In[side], op)
		if m == nil || n.Into == side || n.In[0].Val == n.In[1].Val || n.In[1-side].Cols > 0 {
			continue
		}
		f := join(m, n.In[1-side])
		if f == nil {
			continue
		}
		if n.Into >= 0 {
			f.Into = resAt
		}
		r.replace(n, f.Out[0])
		return true
	}
	return false
}

func fuseValues(r *rewriter, n *ir.Node) bool {
	c := r.only(n.In[0], ops.MqaCombine)
	if c == nil || n.In[1].Type().DType == ir.F32 {
		return false
	}
	f := r.add(n, "", ops.MqaValues, []ir.Use{c.In[0], c.In[1], n.In[1]}, nil)
	r.replace(n, f.Out[0])
	return true
}

func fuseAppend2(r *rewriter, n *ir.Node) bool {
	c := r.only(n.In[0], ops.Concat)
	if c == nil {
		return false
	}
	f := r.add(n, "", ops.Append2, []ir.Use{c.In[0], c.In[1], n.In[1]}, nil)
	r.replace(n, f.Out[0])
	return true
}

// fuseRouter matches from the last op of the router back to its logits.
func fuseRouter(r *rewriter, n *ir.Node) bool {
	p, idx := n.In[0].Val, n.In[1].Val
	if p.Kind != ir.Result || p.Def.Op != ops.Sigmoid || idx.Kind != ir.Result || idx.Def.Op != ops.Topk || r.isResult(p) {
		return false
	}
	attrs := n.Attrs.With("k", idx.Def.Attrs.Find("k"))
	score := idx.Def.In[0]
	if m := r.only(score, ops.GroupMask); m != nil {
		attrs = attrs.With("groups", m.Attrs.Find("groups")).With("used", m.Attrs.Find("used"))
		score = m.In[0]
	}
	b := r.only(score, ops.AddRow)
	if b == nil || b.In[0].Val != p || len(r.users[p]) != 2 {
		return false
	}
	f := r.add(n, "", ops.Router, []ir.Use{p.Def.In[0], b.In[1]}, attrs)
	f.Out[0].Name = idx.Name
	r.replace(idx.Def, f.Out[0])
	r.replace(n, f.Out[1])
	return true
}
