package ops

import (
	"fmt"

	"dsac/ir"
)

// alike is the shard rule of element-wise ops: equal parts in, the same part out. Partial sums
// are completed first, unless the op is linear in all of them.
func alike(linear bool) func(*ir.Node, []ir.Split) ([]ir.Split, error) {
	return func(n *ir.Node, in []ir.Split) ([]ir.Split, error) {
		for i, s := range in {
			if s != in[0] || s.Partial && !linear {
				if s.Partial {
					return nil, ir.NeedWhole{In: i}
				}
				if in[0].Partial {
					return nil, ir.NeedWhole{In: 0}
				}
				return nil, mismatch(n, in)
			}
		}
		return []ir.Split{in[0]}, nil
	}
}

// headwise is the shard rule of ops that treat every head alone: x [T,H,d] may be split along
// its heads. Only the operands named in byHead follow; the others must be whole. axis is where
// the heads are in each.
func headwise(byHead map[int]int) func(*ir.Node, []ir.Split) ([]ir.Split, error) {
	return func(n *ir.Node, in []ir.Split) ([]ir.Split, error) {
		split := in[0].Axis > 0
		for i, s := range in {
			axis, follows := byHead[i]
			switch {
			case s.Partial:
				return nil, ir.NeedWhole{In: i}
			case follows && split && s.Axis == axis+1, (!follows || !split) && s == ir.Whole:
			default:
				return nil, mismatch(n, in)
			}
		}
		return []ir.Split{in[0]}, nil
	}
}

// shardProject is the shard rule of y = x W^T, of chosen experts too: W [..,N,K] with as many
// dimensions before N as lead says. Rows of W split: y is split along its heads or its last
// dimension. Columns of W split: x must be split alike and y is a partial sum. Operands
// 1..weights are weights.
func shardProject(n *ir.Node, in []ir.Split, weights, lead int) (ir.Split, error) {
	x, w := in[0], in[1]
	for _, other := range in[1 : 1+weights] {
		if other != w {
			return x, mismatch(n, in)
		}
	}
	rows, cols := lead+1, lead+2 // axes of W and of what it meets, counted from one
	switch {
	case x.Partial:
		return x, ir.NeedWhole{In: 0}
	case w == ir.Whole && x == ir.Whole:
		return ir.Whole, nil
	case w.Axis == rows && x == ir.Whole:
		return ir.Split{Axis: cols}, nil
	case w.Axis == cols && x.Axis == cols:
		return ir.Split{Partial: true}, nil
	}
	return x, mismatch(n, in)
}

func mismatch(n *ir.Node, in []ir.Split) error {
	msg := ""
	for i, s := range in {
		if i > 0 {
			msg += ", "
		}
		msg += n.Op.Operands[n.Op.InputOperands()[i]].Name + " is " + s.String()
	}
	return fmt.Errorf("%s cannot be shared by ranks when %s", n.Op.Name, msg)
}
