package check

import (
	"slices"

	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// indexScores are those of op index_topk: its first three operands are those of index_scores.
func indexScores(c *ref.Call, row int) ([]float32, error) {
	limit := c.Pos + row + 1
	rows := c.Args[2].Rows
	out, err := newF32(c.Args[0].Shape[0], rows)
	if err != nil {
		return nil, err
	}
	s := *c
	s.Lo, s.Hi, s.Args = row, row+1, append(slices.Clone(c.Args[:3]), out)
	op, _ := ref.Lookup("index_scores")
	op.Run(&s)
	return out.F32[row*rows:][:min(limit, rows)], nil
}

// routerScores are those of op router: the groups that it leaves out have minus infinity.
func routerScores(c *ref.Call, row int) ([]float32, error) {
	z, bias := &c.Args[0], &c.Args[1]
	p, err := sigmoids(z, row)
	if err != nil {
		return nil, err
	}
	choice, err := newF32(1, z.Cols)
	if err != nil {
		return nil, err
	}
	for i, b := range bias.Row(0, make([]float32, bias.Cols)) {
		choice.F32[i] = p.F32[i] + b
	}
	masked, err := newF32(1, z.Cols)
	if err != nil {
		return nil, err
	}
	op, _ := ref.Lookup("group_mask")
	op.Run(&ref.Call{N: 1, Hi: 1, Args: []ref.Arg{choice, masked}, Attrs: c.Attrs, Work: c.Work})
	return masked.F32, nil
}

// sigmoids returns the sigmoid of a row of z, as f32[1,E].
func sigmoids(z *ref.Arg, row int) (ref.Arg, error) {
	x, err := newF32(1, z.Cols)
	if err != nil {
		return x, err
	}
	copy(x.F32, z.Row(row, make([]float32, z.Cols)))
	y, err := newF32(1, z.Cols)
	if err != nil {
		return y, err
	}
	op, _ := ref.Lookup("sigmoid")
	op.Run(&ref.Call{N: 1, Hi: 1, Args: []ref.Arg{x, y}, Work: &ref.Work{}})
	return y, nil
}

// newF32 makes a zeroed f32[rows, cols].
func newF32(rows, cols int) (ref.Arg, error) {
	return ref.NewArg(quant.F32, []int{rows, cols}, 0, 0, make([]byte, 4*rows*cols))
}
