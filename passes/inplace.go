package passes

import (
	"fmt"

	"dsac/ir"
)

// inplace lets the first result of a node take the bytes of an input where it is proved that
// nobody misses them: the op's alias contract allows the pair, both have the same type, the
// node takes all columns, the input is a temporary, and the node is the last to read anything
// that lies on those bytes, with no reader beside it in its launch. It needs slots and the schedule; it leaves Slot.Inplace; it never
// joins where the DSL did not allow the op's contract to. A request ("into") that cannot be
// proved is an error that says who stands in the way.
func inplace(u *Unit) error {
	last := lastReads(u)
	for step, n := range u.G.Nodes {
		if len(n.Out) == 0 || n.StateOf(0) != nil {
			continue
		}
		for i := range n.In {
			if n.Into >= 0 && n.Into != i {
				continue
			}
			why := u.refuse(n, i, step, last)
			if why == "" {
				s := u.ValueSlot[n.Out[0]]
				u.Slots[s].Inplace = u.ValueSlot[n.In[i].Val]
				r := u.root(s)
				last[r] = max(last[r], last[s])
				break
			}
			if n.Into == i {
				return &Error{n.Pos, fmt.Sprintf("into: %s cannot be overwritten here: %s", valueName(n.In[i].Val), why)}
			}
		}
	}
	return nil
}

// refuse says why result 0 of n may not take the bytes of input i, or "".
func (u *Unit) refuse(n *ir.Node, i, step int, last []int) string {
	in, out := n.In[i], n.Out[0]
	s, ok := u.ValueSlot[in.Val]
	switch {
	case n.Op.Contract(0, i) == ir.NoAlias:
		return fmt.Sprintf("%s is not safe on the bytes of operand %s", n.Op.Name, n.Op.Operands[n.Op.InputOperands()[i]].Name)
	case !ok:
		return "it is an argument of the model, not a temporary"
	case in.Cols > 0:
		return "only some of its columns are read"
	case in.Val.Type != out.Type:
		return fmt.Sprintf("it is %s, the result is %s", in.Val.Type, out.Type)
	}
	r := u.root(s)
	if u.Slots[r].Out {
		return "it is a result of the model"
	}
	if u.Slots[u.ValueSlot[out]].Out {
		return "the result of the model has a place of its own"
	}
	if last[r] > step {
		return fmt.Sprintf("%s reads it later (%s)", u.G.Nodes[last[r]], u.G.Nodes[last[r]].Pos)
	}
	for _, m := range u.beside(step) {
		for _, in := range m.In {
			if so, ok := u.ValueSlot[in.Val]; ok && u.root(so) == r {
				return fmt.Sprintf("%s reads it at the same time (%s)", m, m.Pos)
			}
		}
	}
	for j, other := range n.In {
		if j == i || other.Val.Kind != ir.Result {
			continue
		}
		if so, ok := u.ValueSlot[other.Val]; ok && u.root(so) == r && (n.Op.Contract(0, j) == ir.NoAlias || other.Cols > 0) {
			return fmt.Sprintf("operand %s lies on the same bytes", n.Op.Operands[n.Op.InputOperands()[j]].Name)
		}
	}
	return ""
}

// lastReads returns, per slot, the last step that reads it; its own step when nobody does.
func lastReads(u *Unit) []int {
	last := make([]int, len(u.Slots))
	for step, n := range u.G.Nodes {
		for _, v := range n.Out {
			if s, ok := u.ValueSlot[v]; ok {
				last[s] = max(last[s], step)
			}
		}
		for _, s := range u.ScratchSlot[n] {
			last[s] = step
		}
		for _, in := range n.In {
			if s, ok := u.ValueSlot[in.Val]; ok {
				last[s] = step
			}
		}
	}
	return last
}

func valueName(v *ir.Value) string {
	if v.Name != "" {
		return v.Name
	}
	if v.Def != nil {
		return v.Def.Label
	}
	return v.Type.String()
}
