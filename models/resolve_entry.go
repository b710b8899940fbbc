package models

import (
	"dsac/ir"
	"dsac/ir/ops"
)

// entryTypes are the element types of inputs and results of an entry.
var entryTypes = map[string]bool{"f32": true, "i32": true}

func (r *resolver) entry(d *entryNode) {
	r.inEntry, r.locals = true, make(map[string]int)
	defer func() { r.inEntry, r.locals = false, make(map[string]int) }()
	for _, a := range d.Args {
		r.entryType(a.Type)
		if r.locals[a.Name] > 0 {
			r.errorf(a.Pos, "input %s is declared twice", a.Name)
		}
		r.assigned(&targetNode{Pos: a.Pos, Name: a.Name})
	}
	r.entryType(d.Type)
	// A loop may read what a later statement of its body assigned in an earlier round, so all
	// assigned names are known before any is read; what is read too early shows in elaboration.
	r.collect(d.Body)
	r.block(d.Body, true)
	if n := len(d.Body); n == 0 || d.Body[n-1].Return == nil {
		r.errorf(d.Pos, "entry %s does not end with return", d.Name)
	}
}

func (r *resolver) entryType(t *typeNode) {
	if !entryTypes[t.DType] {
		r.errorf(t.Pos, "unknown type %s; inputs and results are f32 or i32", t.DType)
	}
	if len(t.Dims) > ir.MaxRank {
		r.errorf(t.Pos, "%d dimensions, at most %d", len(t.Dims), ir.MaxRank)
	}
	for _, x := range t.Dims {
		r.expr(x)
	}
}

// collect declares the variables that statements assign.
func (r *resolver) collect(stmts []*stmtNode) {
	for _, s := range stmts {
		switch {
		case s.For != nil:
			r.collect(s.For.Body)
		case s.If != nil:
			r.collect(s.If.Then)
			for _, e := range s.If.Elifs {
				r.collect(e.Then)
			}
			r.collect(s.If.Else)
		case s.Assign != nil && !s.Assign.Store:
			for _, t := range s.Assign.Targets {
				r.assigned(t)
			}
		}
	}
}

func (r *resolver) assigned(t *targetNode) {
	if t.Index != nil {
		r.errorf(t.Pos, "%s[...] cannot be assigned; a state is written with <-", t.Name)
	}
	if r.locals[t.Name] > 0 || r.free(t.Name, t.Pos) {
		r.locals[t.Name]++
	}
}

func (r *resolver) block(stmts []*stmtNode, top bool) {
	for i, s := range stmts {
		switch {
		case s.For != nil:
			if r.locals[s.For.Range.Var] > 0 {
				r.errorf(s.For.Range.Pos, "the loop variable %s is assigned elsewhere", s.For.Range.Var)
			}
			r.inRange(s.For.Range, func() { r.block(s.For.Body, false) })
		case s.If != nil:
			r.expr(s.If.Cond)
			r.block(s.If.Then, false)
			for _, e := range s.If.Elifs {
				r.expr(e.Cond)
				r.block(e.Then, false)
			}
			r.block(s.If.Else, false)
		case s.Return != nil:
			if !top || i != len(stmts)-1 {
				r.errorf(s.Pos, "return must be the last statement of the entry")
			}
			r.expr(s.Return)
		default:
			r.assign(s.Assign)
		}
	}
}

func (r *resolver) assign(a *assignNode) {
	if a.Into != nil {
		if a.Store {
			r.errorf(a.Into.Pos, "<- writes its state in place; into has no place here")
		} else if kind := r.names[a.Into.Name]; kind != "" {
			r.errorf(a.Into.Pos, "into %s: it is %s; only a variable's bytes can be taken", a.Into.Name, kind)
		} else if r.locals[a.Into.Name] == 0 {
			r.undefined(a.Into.Name, a.Into.Pos)
		}
	}
	if !a.Store {
		r.expr(a.Value)
		return
	}
	t := a.Targets[0]
	kind := r.names[t.Name]
	switch {
	case len(a.Targets) > 1:
		r.errorf(a.Pos, "<- writes one state")
	case kind == "" && r.locals[t.Name] == 0:
		r.undefined(t.Name, t.Pos)
	case kind != aState && kind != aStates:
		r.errorf(t.Pos, "<- writes a state, and %s is not one", t.Name)
	case (kind == aStates) != (t.Index != nil):
		r.errorf(t.Pos, "%s is %s", t.Name, kind)
	}
	if t.Index != nil {
		r.expr(t.Index)
	}
	c := pureCall(a.Value)
	if c == nil || findFunction(c.Name) != nil || r.defs[c.Name] != nil {
		r.errorf(a.Value.Pos, "the right side of <- must be a call of an op that writes a state, such as append(x)")
		return
	}
	r.opCall(c, true)
}

// opCall checks a call of an op: operand count, attributes, and whether it writes a state.
func (r *resolver) opCall(c *callNode, store bool) {
	r.entryOnly = true
	op := ops.Find(c.Name)
	if op == nil {
		r.errorf(c.Pos, "unknown op %s%s", c.Name, suggest(c.Name, r.callNames()))
		return
	}
	var reads []string
	states := 0
	for _, i := range op.InputOperands() {
		if p := op.Operands[i]; p.Effect == ir.Write && p.State {
			states++
		} else {
			reads = append(reads, p.Name)
		}
	}
	for _, p := range op.Operands {
		if p.Effect == ir.ReadWrite || p.Effect == ir.Accumulate {
			r.errorf(c.Pos, "%s cannot be called from a description: it updates operand %s in place", op.Name, p.Name)
			return
		}
	}
	switch {
	case states > 0 && !store:
		r.errorf(c.Pos, "%s writes a state: write `state <- %s(...)`", op.Name, op.Name)
	case states != 1 && store:
		r.errorf(c.Pos, "%s does not write a state", op.Name)
	}
	r.operands(op, c, reads)
}

func (r *resolver) operands(op *ir.Op, c *callNode, reads []string) {
	given := make(map[string]bool)
	n, unknown := 0, false
	for _, a := range c.Args {
		r.expr(a.Value)
		switch {
		case a.Name == "" && len(given) > 0:
			n++
			r.errorf(a.Pos, "operands come before attributes")
		case a.Name == "":
			n++
		case given[a.Name]:
			r.errorf(a.Pos, "attribute %s is given twice", a.Name)
		default:
			given[a.Name] = true
			unknown = !r.attr(op, a) || unknown
		}
	}
	if n != len(reads) {
		r.errorf(c.Pos, "%s takes %d operands (%s), %d given", op.Name, len(reads), joinNames(reads), n)
	}
	for _, s := range op.Attrs {
		if s.Default == nil && !given[s.Name] && !unknown {
			r.errorf(c.Pos, "%s needs the attribute %s (%s)", op.Name, s.Name, s.Doc)
		}
	}
}

// attr reports whether op has the attribute.
func (r *resolver) attr(op *ir.Op, a *callArgNode) bool {
	var names []string
	for _, s := range op.Attrs {
		if s.Name == a.Name {
			return true
		}
		names = append(names, s.Name)
	}
	r.errorf(a.Pos, "%s has no attribute %s; %s", op.Name, a.Name, attrNames(names))
	return false
}
