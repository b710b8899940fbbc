package passes

import (
	kern "dsac/codegen/kernels"
	"dsac/ir"
	"dsac/ir/ops"
)

// splitRows is the largest number of rows of a step for which one op is cut into parts that
// run over the whole device; with more rows the rows themselves do that.
const splitRows = 16

// lower replaces ops by the forms that a GPU has kernels for: in steps of few rows the
// indexer scores the cache in one launch and chooses in the next, and attention runs over
// parts of each list and joins them; in steps of many rows the sum over the slots of experts
// becomes the producer of what their products begin. It needs attention absorbed; on the host
// it does nothing; it never changes what is computed beyond rounding.
func lower(u *Unit) error {
	if u.Opt.target().GPU == nil {
		return nil
	}
	r := rewrite(u.G)
	r.visit(func(n *ir.Node) bool {
		if n.Op == ops.ExpertCombine && expertsApart(u, n) {
			moveDist(n)
		}
		if u.Bind.T > splitRows {
			return false
		}
		switch n.Op {
		case ops.IndexTopk:
			scale := ir.Attrs{{Name: "scale", Val: n.Attrs.Find("scale")}, {Name: "width", Val: int64(ops.ScoreWidth(u.Bind.C))}}
			s := r.add(n, ".scores", ops.IndexScores, n.In, scale)
			k := ir.Attrs{{Name: "k", Val: n.Attrs.Find("k")}}
			sel := r.add(n, "", ops.SelectTopk, []ir.Use{{Val: s.Out[0]}}, k)
			r.replace(n, sel.Out[0])
			return true
		case ops.MqaAttend:
			k, heads := int(n.In[3].Type().Last().K), int(n.In[0].Type().Dims[1].K)
			if n.Attrs.Int("half") != 0 { // asked for by a description
				return false
			}
			a := ir.Attrs{{Name: "scale", Val: n.Attrs.Find("scale")}, {Name: "splits", Val: int64(splits(k, u.Bind.T, heads))}}
			p := r.add(n, ".parts", ops.MqaPartial, n.In, a)
			c := r.add(n, "", ops.MqaCombine, []ir.Use{{Val: p.Out[0]}, {Val: p.Out[1]}}, nil)
			r.replace(n, c.Out[0])
			return true
		}
		return false
	})
	return nil
}

// splits returns into how many parts a list of k positions is cut: so that there are enough
// blocks for a large device, and no part smaller than the 64 positions that a block has under way.
func splits(k, rows, heads int) int {
	const blocks = 128
	per := kern.PartHeads(rows, heads)
	return max(1, min(blocks/(rows*((heads+per-1)/per)), k/64))
}
