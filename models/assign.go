package models

import (
	"dsac/ir"
	"dsac/ir/ops"
)

// assign runs an assignment; on an error its targets are poisoned.
func (b *builder) assign(a *assignNode) {
	var err *Error
	if a.Store {
		err = b.store(a)
	} else {
		err = b.let(a)
	}
	if err == nil {
		return
	}
	b.errs.add(err)
	if a.Store {
		return
	}
	for _, t := range a.Targets {
		b.locals[t.Name] = poison{}
	}
}

// let is `x = e`, `a, b = op(...)` or either with `into`.
func (b *builder) let(a *assignNode) *Error {
	var old any
	if a.Into != nil {
		v, err := b.name(a.Into.Name, a.Into.Pos)
		if err != nil {
			return err
		}
		old = v
	}
	first := len(b.g.Nodes)
	v, err := b.expr(a.Value)
	if err != nil {
		return err
	}
	vals := []any{v}
	if rs, ok := v.(results); ok {
		vals = nil
		for _, r := range rs {
			vals = append(vals, ir.Use{Val: r})
		}
	}
	if len(vals) != len(a.Targets) {
		return b.src.errorf(a.Pos, "names on the left: %d, results on the right: %d", len(a.Targets), len(vals))
	}
	var names []string
	var outs []*ir.Value
	for i, t := range a.Targets {
		b.locals[t.Name] = vals[i]
		if u, ok := vals[i].(ir.Use); ok {
			names, outs = append(names, t.Name), append(outs, u.Val)
		}
	}
	b.label(first, names, outs)
	if a.Into == nil {
		return nil
	}
	if isPoison(old) {
		return poisoned
	}
	return b.into(a, old, outs, first)
}

// into records the request that the first result takes the bytes of an operand.
func (b *builder) into(a *assignNode, old any, outs []*ir.Value, first int) *Error {
	target, ok := old.(ir.Use)
	if !ok {
		return b.src.errorf(a.Into.Pos, "into %s: it must be a tensor that the entry computed, not %s", a.Into.Name, kindOf(old))
	}
	if len(outs) == 0 || len(b.g.Nodes) == first || outs[0].Def != b.g.Nodes[len(b.g.Nodes)-1] {
		return b.src.errorf(a.Into.Pos, "into %s: the right side must be a call of an op", a.Into.Name)
	}
	n := outs[0].Def
	for i, u := range n.In {
		if u.Val != target.Val {
			continue
		}
		if n.Op.Contract(0, i) != ir.NoAlias {
			n.Into = i
			return nil
		}
		name := n.Op.Operands[n.Op.InputOperands()[i]].Name
		return b.src.errorf(a.Into.Pos, "into %s: the result of %s may not lie on its operand %s", a.Into.Name, n.Op.Name, name)
	}
	return b.src.errorf(a.Into.Pos, "into %s: %s is not an operand of %s", a.Into.Name, a.Into.Name, n.Op.Name)
}

// store is `state <- op(...)`: the op writes the state.
func (b *builder) store(a *assignNode) *Error {
	t := a.Targets[0]
	v, err := b.name(t.Name, t.Pos)
	if err != nil {
		return err
	}
	if table, ok := v.(stateTable); ok && t.Index != nil {
		i, err := b.integer(t.Index, "an index")
		if err != nil {
			return err
		}
		if v, err = b.stateAt(table, i, t.Pos); err != nil {
			return err
		}
	}
	s, ok := v.(*State)
	if !ok {
		return b.src.errorf(t.Pos, "<- writes a state, %s is %s", t.Name, kindOf(v))
	}
	c := pureCall(a.Value)
	first := len(b.g.Nodes)
	outs, err := b.node(ops.Find(c.Name), c, b.state(s))
	if err != nil {
		return err
	}
	for i, o := range outs {
		if o.Def.StateOf(i) != nil {
			b.now[s] = o
		}
	}
	b.label(first, []string{t.Name}, outs)
	return nil
}

// pureCall returns the call that an expression consists of, or nil.
func pureCall(x *exprNode) *callNode {
	u := x.First.Terms[0].Terms[0].Left.First.First
	c := x.First.Terms[0].Terms[0]
	plain := len(x.Alts) == 0 && len(x.First.Terms) == 1 && len(x.First.Terms[0].Terms) == 1 &&
		c.Op == "" && len(c.Left.Rest) == 0 && len(c.Left.First.Rest) == 0 && len(u.Ops) == 0 && len(u.Tail) == 0
	if !plain {
		return nil
	}
	return u.Base.Call
}
