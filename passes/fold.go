package passes

import (
	"dsac/ir"
	"dsac/ir/ops"
)

// fold turns slices into column selections of the ops that read them, where those allow it.
// It needs nothing; it leaves slices whose readers cannot select columns; it never moves a
// node. Slices left without readers go in sweep.
func fold(u *Unit) error {
	for _, n := range u.G.Nodes {
		inputs := n.Op.InputOperands()
		for i, use := range n.In {
			if use.Val.Kind != ir.Result || use.Val.Def.Op != ops.Slice || !n.Op.Operands[inputs[i]].Columns {
				continue
			}
			if n.Op.Operands[inputs[i]].Flat && use.Val.Type.Rank > 2 {
				continue
			}
			s := use.Val.Def
			src, off := s.In[0], s.Attrs.Int("off")
			cols := s.Attrs.Int("cols")
			if use.Cols > 0 {
				off, cols = off+use.Col, use.Cols
			}
			n.In[i] = ir.Use{Val: src.Val, Col: src.Col + off, Cols: cols}
		}
	}
	return nil
}
