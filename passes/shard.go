package passes

import (
	"errors"
	"fmt"

	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/quant"
)

// shard makes the graph that one of TP ranks runs: every weight that the DSL marks is cut
// along its axis, and where a partial sum meets an op that needs all of it, a collective adds
// the ranks up. It needs attention and experts unfused; it leaves types as a rank sees them,
// Node.Dist on producers of partial sums, and as few collectives as linearity allows; it never
// cuts a quantisation block. With one rank it does nothing.
func shard(u *Unit) error {
	if u.Opt.TP <= 1 {
		return nil
	}
	splits := make(map[*ir.Value]ir.Split)
	for _, v := range u.G.Args {
		if v.Shard == 0 {
			continue
		}
		if err := cut(v, u.Opt.TP); err != nil {
			return &Error{v.Pos, err.Error()}
		}
		splits[v] = ir.Split{Axis: v.Shard}
	}
	var first error
	r := rewrite(u.G)
	r.visit(func(n *ir.Node) bool {
		if first == nil {
			first = shardNode(r, n, splits, u.Opt)
		}
		return false
	})
	for i, v := range u.G.Results {
		if s := splits[v]; s != ir.Whole && first == nil {
			first = fmt.Errorf("result %d of the model is %s", i, s)
		}
	}
	return first
}

// shardNode applies the op's rule, completing partial sums until it is content, and derives
// the types anew.
func shardNode(r *rewriter, n *ir.Node, splits map[*ir.Value]ir.Split, opt *Options) error {
	at := func(err error) error { return &Error{n.Pos, fmt.Sprintf("--tp %d: %s: %v", opt.TP, n, err)} }
	var out []ir.Split
	for {
		in := make([]ir.Split, len(n.In))
		for i, u := range n.In {
			in[i] = splits[u.Val]
		}
		var err error
		out, err = shardRule(n, in, opt)
		if err == nil {
			break
		}
		var need ir.NeedWhole
		if !errors.As(err, &need) || !in[need.In].Partial {
			return at(err)
		}
		old := n.In[need.In].Val
		ar := r.add(old.Def, ".allreduce", ops.Allreduce, []ir.Use{{Val: old}}, nil)
		ar.Out[0].Name = old.Name
		r.subst[old] = ir.Use{Val: ar.Out[0]}
		for i := range n.In {
			n.In[i] = r.use(n.In[i])
		}
	}
	if a := n.Attrs.Find("heads"); a != nil && a.(int64) > 1 && splits[n.In[1].Val].Axis == 1 {
		n.Attrs = n.Attrs.With("heads", a.(int64)/int64(opt.TP))
	}
	types, err := n.Op.ResultTypes(n.InTypes(), n.Attrs)
	if err != nil {
		return at(err)
	}
	for i, v := range n.Out {
		v.Type = types[i]
		splits[v] = out[i]
	}
	n.Dist = out[0].Partial && len(n.In) > 1 && !anyPartial(n, splits)
	return nil
}

func anyPartial(n *ir.Node, splits map[*ir.Value]ir.Split) bool {
	for _, u := range n.In {
		if splits[u.Val].Partial {
			return true
		}
	}
	return false
}

// shardRule asks the op; one without a rule needs all of every operand.
func shardRule(n *ir.Node, in []ir.Split, opt *Options) ([]ir.Split, error) {
	// Unfused, the sum over experts is no step that the lint knows as linear.
	if n.Op.Shard != nil && !(n.Op == ops.ExpertCombine && opt.Skip["fuse"]) {
		return n.Op.Shard(n, in)
	}
	for i, s := range in {
		if s.Partial {
			return nil, ir.NeedWhole{In: i}
		}
		if s != ir.Whole {
			return nil, fmt.Errorf("%s needs all of operand %d, which is %s", n.Op.Name, i, s)
		}
	}
	return make([]ir.Split, len(n.Out)), nil
}

// cut leaves a weight the part of one rank.
func cut(v *ir.Value, tp int) error {
	axis := v.Shard - 1
	if axis >= int(v.Type.Rank) {
		return fmt.Errorf("tensor %s %s has no axis %d to share", v.Name, v.Type, axis)
	}
	d := v.Type.Dims[axis]
	if int(d.K)%tp != 0 {
		return fmt.Errorf("--tp %d: tensor %s: %d of axis %d cannot be cut into %d equal parts", tp, v.Name, d.K, axis, tp)
	}
	part := int(d.K) / tp
	if axis == int(v.Type.Rank)-1 {
		t, err := quant.Parse(string(v.Type.DType))
		if err != nil {
			return fmt.Errorf("tensor %s: %w", v.Name, err)
		}
		if _, err := t.RowBytes(part); err != nil {
			return fmt.Errorf("--tp %d: tensor %s: a part of %d columns would split a block of %s: %w", tp, v.Name, part, t, err)
		}
	}
	v.Type.Dims[axis] = ir.Fixed(part)
	return nil
}
