package passes

import (
	"math"

	"dsac/codegen/kernels/product"
	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/quant"
)

// expertsApart says of an expert_combine whether the products that it sums are to stay an
// expert_matmul of their own: its kernel reads an expert once for all rows that chose it, where
// expert_down reads it once a row; but its results go through memory. What costs fewer bytes
// wins. The host sums as it goes in any case.
func expertsApart(u *Unit, combine *ir.Node) bool {
	v := combine.In[0].Val
	if u.Opt.target().GPU == nil || u.Bind.T < product.GroupedRows || v.Kind != ir.Result || v.Def.Op != ops.ExpertMatmul {
		return false
	}
	weight := v.Def.In[1].Type()
	t, err := quant.Parse(string(weight.DType))
	if err != nil {
		return false
	}
	row, err := t.RowBytes(int(weight.Last().K))
	if err != nil {
		return false
	}
	slots := float64(combine.In[1].Type().Last().K)
	pairs := float64(u.Bind.T) * slots
	matrices := float64(weight.Dims[0].K)
	// Experts that a row does not choose are alike to it: this many are chosen by some row.
	chosen := matrices * (1 - math.Pow(1-min(1, slots/matrices), float64(u.Bind.T)))
	const written, read = 4, 4 // bytes of an element of the products
	return (pairs-chosen)*float64(row) > pairs*(written+read)
}

// moveDist makes the sum of products of one rank, not the products, the partial sum over the
// ranks: the sum is linear in them, but its other operand is complete, and a linear step of a
// plan has all operands alike.
func moveDist(combine *ir.Node) {
	if m := combine.In[0].Val.Def; m.Dist {
		m.Dist, combine.Dist = false, true
	}
}
