package passes

import (
	"dsac/codegen/kernels/product"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/quant"
)

// halve rounds activations to f16 once for all products that read them, where the kernels of
// those multiply many rows on tensor cores. It needs products fused; it leaves half_rows ahead of
// the first such product, and f32 for all other readers; on the host it does nothing.
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
		if !u.halves(n) {
			return false
		}
		k := key{n.In[0], n.Op.Operands[0].Flat && n.In[0].Val.Type.Rank > 2}
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

// halves says whether a node is a product whose kernel wants rows of half_rows, and has not got
// them: a description may ask for half_rows itself.
func (u *Unit) halves(n *ir.Node) bool {
	if len(n.Op.Operands) < 2 || !n.Op.Operands[0].Halves || n.In[0].Type().DType == ir.F16 {
		return false
	}
	t, err := quant.Parse(string(n.In[1].Type().DType))
	return err == nil && product.Halves(n.Op.Name, u.Bind.Extent(n.In[0].Type().Dims[0]), t)
}
