package passes

import (
	"fmt"
	"slices"

	"dsac/ir"
	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// fileLayout is the layout of a tensor as the GGUF has it.
const fileLayout = "gguf"

// layout decides in which arrangement each weight lies on the device: on a GPU, matrices are
// repacked once at load for the kernels that multiply with them; everything else, and
// everything on the host, keeps the bytes of the file. A weight that is used in two ways gets
// two buffers. It needs types; it leaves Layouts; it never changes what a weight holds.
func layout(u *Unit) error {
	u.Layouts = make(map[string][]string)
	for _, n := range u.G.Nodes {
		for i, o := range n.Op.InputOperands() {
			v := n.In[i].Val
			if v.Kind != ir.Weight {
				continue
			}
			l, err := u.layoutOf(&n.Op.Operands[o], v)
			if err != nil {
				return &Error{n.Pos, err.Error()}
			}
			if !slices.Contains(u.Layouts[v.Name], l) {
				u.Layouts[v.Name] = append(u.Layouts[v.Name], l)
			}
		}
	}
	return nil
}

// layoutOf returns the layout in which an operand takes a weight.
func (u *Unit) layoutOf(o *ir.Operand, v *ir.Value) (string, error) {
	if u.Opt.target().GPU == nil || !o.Packed {
		return fileLayout, nil
	}
	t, err := quant.Parse(string(v.Type.DType))
	if err != nil {
		return "", fmt.Errorf("tensor %s: %w", v.Name, err)
	}
	l, err := repack.For(t)
	if err != nil {
		return "", fmt.Errorf("tensor %s: target %s: %w", v.Name, u.Opt.Target, err)
	}
	return l.Name, nil
}

// weightBytes returns the size of a weight of the given extents in a layout.
func weightBytes(t ir.Type, layout string) (uint64, error) {
	qt, err := quant.Parse(string(t.DType))
	if err != nil {
		return 0, err
	}
	cols := int(t.Last().K)
	rows, matrices := uint64(1), uint64(1)
	if t.Rank >= 2 {
		rows = uint64(t.Dims[t.Rank-2].K)
	}
	for i := 0; i+2 < int(t.Rank); i++ {
		matrices *= uint64(t.Dims[i].K)
	}
	if layout == fileLayout {
		n, err := qt.RowBytes(cols)
		return matrices * rows * uint64(n), err
	}
	l, err := repack.Named(layout)
	if err != nil {
		return 0, err
	}
	n, err := l.Bytes(int(rows), cols)
	return matrices * uint64(n), err
}
