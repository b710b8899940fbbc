package models

import "fmt"

// inline evaluates a call of a def: its body with the arguments as the only local names.
func (e *evaluator) inline(c *callNode, d *defNode) (any, *Error) {
	inner := make(map[string]any, len(d.Params))
	for i, p := range d.Params {
		v, err := e.expr(c.Args[i].Value)
		if err != nil {
			return nil, err
		}
		inner[p.Name] = v
	}
	outer := e.locals
	e.locals = inner
	e.calls = append(e.calls, c)
	v, err := e.expr(d.Body)
	e.calls = e.calls[:len(e.calls)-1]
	e.locals = outer
	if err != nil && err != poisoned && len(e.calls) == 0 {
		err.Msg += fmt.Sprintf(" (%s is called in line %d)", d.Name, c.Pos.Line)
	}
	return v, err
}

// def resolves a definition. Its body sees its parameters, the declarations above it and the
// defs above it, so that no def can call itself.
func (r *resolver) def(d *defNode) {
	outer, entry := r.locals, r.inEntry
	r.locals, r.inEntry, r.entryOnly = make(map[string]int), true, false
	for _, p := range d.Params {
		if r.locals[p.Name] > 0 {
			r.errorf(p.Pos, "parameter %s is declared twice", p.Name)
		}
		if r.free(p.Name, p.Pos) {
			r.locals[p.Name]++
		}
	}
	r.expr(d.Body)
	r.locals, r.inEntry = outer, entry
	if r.free(d.Name, d.Pos) {
		r.names[d.Name] = aDef
		r.defs[d.Name] = d
		r.entryDefs[d.Name] = r.entryOnly
	}
}

// defCall checks a call of a def.
func (r *resolver) defCall(c *callNode, d *defNode) {
	for _, a := range c.Args {
		if a.Name != "" {
			r.errorf(a.Pos, "%s is a def; it takes no attributes", c.Name)
		}
		r.expr(a.Value)
	}
	if len(c.Args) != len(d.Params) {
		r.errorf(c.Pos, "%s takes %d arguments, %d given", c.Name, len(d.Params), len(c.Args))
	}
	if !r.entryDefs[c.Name] {
		return
	}
	r.entryOnly = true
	if !r.inEntry {
		r.errorf(c.Pos, "%s uses ops, weights or states; it can be called inside an entry only", c.Name)
	}
}
