package passes

import (
	"dsac/codegen/kernels/product"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/quant"
)

// halve rounds activations to f16 once for all products that read them, where the kernels of
// those multiply many rows on tensor cores. It needs products fused; it leaves half_rows ahead of
// the first such product, and f32 for all other readers; on the host it does nothing. What only
// one product reads is rounded by the op that makes it, if that can (its result may be halves).
func halve(u *Unit) error {
	if u.Opt.target().GPU == nil {
		return nil
	}
	type key struct {
		use  ir.Use
		flat bool
	}
	made := make(map[key]*ir.Value)
	r := rewrite(u.G)
	r.visit(func(n *ir.Node) bool {
		if v := r.rounds(n, u); v != nil {
			r.replace(n, v)
			return true
		}
		if !u.halves(n) {
			return false
		}
		k := key{n.In[0], seenFlat(n)}
		if made[k] == nil {
			var attrs ir.Attrs
			if k.flat {
				attrs = ir.Attrs{{Name: "flat", Val: int64(1)}}
			}
			made[k] = r.add(n, ".x", ops.HalfRows, []ir.Use{k.use}, attrs).Out[0]
		}
		n.In[0] = ir.Use{Val: made[k]}
		return false
	})
	return nil
}

// seenFlat says whether a product sees its activations as rows of the first dimension.
func seenFlat(n *ir.Node) bool {
	return n.Op.Operands[0].Flat && n.In[0].Val.Type.Rank > 2
}

// rounds returns the result of a node that stands for n and makes rows of half_rows, where n can
// and its one reader, a product, wants them; otherwise nil.
func (r *rewriter) rounds(n *ir.Node, u *Unit) *ir.Value {
	last := len(n.Op.Operands) - 1
	if last == 0 || !n.Op.Operands[last].Halves || n.Out[0].Type.DType == ir.F16 {
		return nil
	}
	readers := r.users[n.Out[0]]
	if len(readers) != 1 || r.isResult(n.Out[0]) {
		return nil
	}
	p := readers[0]
	if x := p.In[0]; x.Val != n.Out[0] || x.Cols != 0 || seenFlat(p) || !u.halves(p) {
		return nil
	}
	return r.add(n, "", n.Op, n.In, n.Attrs.With("half", int64(1))).Out[0]
}

// halves says whether a node is a product whose kernel wants rows of half_rows, and has not got
// them: a description may ask for half_rows itself.
func (u *Unit) halves(n *ir.Node) bool {
	if len(n.Op.Operands) < 2 || !n.Op.Operands[0].Halves || n.In[0].Type().DType == ir.F16 {
		return false
	}
	t, err := quant.Parse(string(n.In[1].Type().DType))
	return err == nil && product.Halves(n.Op.Name, u.Bind.Extent(n.In[0].Type().Dims[0]), t)
}
