package models

import (
	"strings"

	"dsac/ir/ops"

	"github.com/alecthomas/participle/v2/lexer"
)

func (r *resolver) expr(x *exprNode) {
	r.or(x.First)
	for _, a := range x.Alts {
		r.or(a.Then)
		r.or(a.Else)
	}
}

func (r *resolver) or(x *orNode) {
	for _, and := range x.Terms {
		for _, c := range and.Terms {
			r.sum(c.Left)
			if c.Right != nil {
				r.sum(c.Right)
			}
		}
	}
}

func (r *resolver) sum(x *sumNode) {
	r.product(x.First)
	for _, t := range x.Rest {
		r.product(t.Term)
	}
}

func (r *resolver) product(x *productNode) {
	r.unary(x.First)
	for _, t := range x.Rest {
		r.unary(t.Term)
	}
}

func (r *resolver) unary(x *unaryNode) {
	p := x.Base
	switch {
	case p.Text != nil:
		r.text(p.Text)
	case p.Call != nil:
		r.call(p.Call)
	case p.Paren != nil:
		r.expr(p.Paren)
	case p.Name != "":
		r.name(p, x.Tail)
	}
	for _, t := range x.Tail {
		if t.Index == nil {
			continue
		}
		for _, i := range []*exprNode{t.Index.From, t.Index.To} {
			if i != nil {
				r.expr(i)
			}
		}
	}
}

// name resolves a name and, for a group, the member that its tail asks for.
func (r *resolver) name(p *primaryNode, tail []*tailNode) {
	if r.locals[p.Name] > 0 {
		return
	}
	kind, ok := r.names[p.Name]
	if !ok {
		if _, sym := symbols[p.Name]; !sym {
			r.undefined(p.Name, p.Pos)
		}
		return
	}
	if kind != aParam && kind != aTable && kind != aDef {
		r.entryOnly = true
		if !r.inEntry {
			r.errorf(p.Pos, "%s is %s; it can be used inside an entry only", p.Name, kind)
			return
		}
	}
	if kind == aDef {
		r.errorf(p.Pos, "%s is a def; call it: %s(...)", p.Name, p.Name)
	}
	if kind != aGroup {
		return
	}
	if len(tail) < 2 || tail[0].Index == nil || tail[1].Member == "" {
		r.errorf(p.Pos, "%s is a group of weights: write %s[i].name", p.Name, p.Name)
		return
	}
	if m := tail[1].Member; !r.members[p.Name][m] {
		var known []string
		for n := range r.members[p.Name] {
			known = append(known, n)
		}
		r.errorf(tail[1].Pos, "%s has no weight %s%s", p.Name, m, suggest(m, known))
	}
}

func (r *resolver) undefined(name string, at lexer.Position) {
	known := make([]string, 0, len(r.names)+len(r.locals))
	for n := range r.names {
		known = append(known, n)
	}
	for n := range r.locals {
		known = append(known, n)
	}
	r.errorf(at, "undefined name %s%s", name, suggest(name, known))
}

func (r *resolver) call(c *callNode) {
	fn := findFunction(c.Name)
	switch {
	case fn == nil && r.defs[c.Name] != nil:
		r.defCall(c, r.defs[c.Name])
		return
	case fn == nil && r.inEntry:
		r.opCall(c, false)
		return
	case fn == nil && ops.Find(c.Name) != nil:
		r.errorf(c.Pos, "op %s can be called inside an entry only", c.Name)
		return
	case fn == nil:
		r.errorf(c.Pos, "unknown function %s%s", c.Name, suggest(c.Name, functionNames()))
		return
	}
	for _, a := range c.Args {
		if a.Name != "" {
			r.errorf(a.Pos, "function %s has no attribute %s", c.Name, a.Name)
		}
		r.expr(a.Value)
	}
	if n := len(c.Args); n < fn.min || n > fn.max {
		r.errorf(c.Pos, "%s takes %s, %d given", c.Name, argCount(fn), n)
	}
}

func argCount(fn *function) string {
	switch {
	case fn.min == fn.max && fn.min == 1:
		return "1 argument"
	case fn.min == fn.max:
		return show(int64(fn.min)) + " arguments"
	}
	return show(int64(fn.min)) + " to " + show(int64(fn.max)) + " arguments"
}

func functionNames() []string {
	var names []string
	for _, f := range functions {
		names = append(names, f.name)
	}
	return names
}

func (r *resolver) callNames() []string {
	names := functionNames()
	for n := range r.defs {
		names = append(names, n)
	}
	for _, op := range ops.Table {
		names = append(names, op.Name)
	}
	return names
}

func joinNames(names []string) string { return strings.Join(names, ", ") }
