package passes

import (
	"fmt"
	"math"

	"dsac/ir"
)

// destinations gives every result that is not a state, and every scratch operand, a slot of
// its own: an output that is allocated, named and never shared. It needs the schedule; it
// leaves Slots, ValueSlot and ScratchSlot; it never joins two slots (see inplace).
func destinations(u *Unit) error {
	u.ValueSlot = make(map[*ir.Value]int)
	u.ScratchSlot = make(map[*ir.Node][]int)
	for _, n := range u.G.Nodes {
		for i, v := range n.Out {
			if n.StateOf(i) != nil {
				continue
			}
			name := n.Label
			if len(n.Out) > 1 {
				name += "." + n.Op.Operands[n.Op.OutputOperands()[i]].Name
			}
			s := Slot{Name: name, Val: v, Node: n, Type: v.Type, Inplace: -1, Out: isGraphResult(u.G, v)}
			if err := u.addSlot(&s); err != nil {
				return err
			}
			u.ValueSlot[v] = len(u.Slots) - 1
		}
		if n.Op.Scratch == nil {
			continue
		}
		types := n.Op.Scratch(n.InTypes(), n.Attrs, u.Bind)
		for i, t := range types {
			s := Slot{Name: fmt.Sprintf("%s.scratch%d", n.Label, i), Node: n, Type: t, Inplace: -1}
			if err := u.addSlot(&s); err != nil {
				return err
			}
			u.ScratchSlot[n] = append(u.ScratchSlot[n], len(u.Slots)-1)
		}
	}
	return nil
}

func (u *Unit) addSlot(s *Slot) error {
	n, err := bytesOf(s.Type, u.Bind)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	s.Bytes = n
	u.Slots = append(u.Slots, *s)
	return nil
}

func isGraphResult(g *ir.Graph, v *ir.Value) bool {
	for _, r := range g.Results {
		if r == v {
			return true
		}
	}
	return false
}

// plainBytes are the sizes of element types that do not come in blocks.
var plainBytes = map[ir.DType]uint64{ir.F32: 4, ir.I32: 4, ir.U8: 1, "f16": 2, "bf16": 2}

// bytesOf returns the size of a value of a plain element type at concrete extents.
func bytesOf(t ir.Type, b ir.Bind) (uint64, error) {
	size, ok := plainBytes[t.DType]
	if !ok {
		return 0, fmt.Errorf("%s: a value of type %s cannot be stored", t, t.DType)
	}
	for _, d := range t.Shape() {
		e := uint64(b.Extent(d))
		if e != 0 && size > math.MaxInt64/e {
			return 0, fmt.Errorf("%s: more than 2^63 bytes", t)
		}
		size *= e
	}
	return size, nil
}
