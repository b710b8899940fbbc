package models

import (
	"strconv"
	"strings"

	"dsac/ir"

	"github.com/alecthomas/participle/v2/lexer"
)

// symbols are the symbolic extents, usable in types.
var symbols = map[string]ir.Sym{"T": ir.SymT, "R": ir.SymR, "C": ir.SymC}

func (e *evaluator) primary(x *primaryNode) (any, *Error) {
	switch {
	case x.Number != "":
		return e.number(x)
	case x.Text != nil:
		s, err := e.fill(x.Text)
		return s, err
	case x.Const != "":
		return map[string]any{"true": true, "false": false, "none": nil}[x.Const], nil
	case x.Call != nil:
		return e.call(x.Call)
	case x.Paren != nil:
		return e.expr(x.Paren)
	}
	return e.name(x.Name, x.Pos)
}

func (e *evaluator) number(x *primaryNode) (any, *Error) {
	if i, err := strconv.ParseInt(x.Number, 10, 64); err == nil && i <= maxNumber {
		return i, nil
	}
	f, err := strconv.ParseFloat(x.Number, 64)
	if err != nil {
		return nil, e.src.errorf(x.Pos, "%s is too large for a number", x.Number)
	}
	return f, nil
}

func (e *evaluator) name(name string, at lexer.Position) (any, *Error) {
	if v, ok := e.locals[name]; ok {
		return v, nil
	}
	if v, ok := e.globals[name]; ok {
		return v, nil
	}
	if s, ok := symbols[name]; ok {
		return s, nil
	}
	if e.tensor != nil {
		return nil, e.tensor.unassigned(name, at)
	}
	// The resolver has seen the declaration, so its own evaluation failed.
	return nil, poisoned
}

func (e *evaluator) call(c *callNode) (any, *Error) {
	fn := findFunction(c.Name)
	if fn == nil {
		if d := e.defs[c.Name]; d != nil {
			return e.inline(c, d)
		}
		return e.tensor.apply(c)
	}
	if c.Name == "key" {
		return e.key(c)
	}
	args := make([]any, len(c.Args))
	for i, a := range c.Args {
		v, err := e.expr(a.Value)
		if err != nil {
			return nil, err
		}
		if isPoison(v) {
			return nil, poisoned
		}
		args[i] = v
	}
	if c.Name == "has" {
		return e.has(c, args[0])
	}
	v, err := fn.call(args)
	if err != nil {
		return nil, e.src.errorf(c.Pos, "%s: %s", c.Name, err)
	}
	return v, nil
}

// key reads a hyper-parameter. The default is evaluated only when the key is absent.
func (e *evaluator) key(c *callNode) (any, *Error) {
	v, err := e.expr(c.Args[0].Value)
	if err != nil {
		return nil, err
	}
	name, ok := v.(string)
	if !ok {
		return nil, e.src.errorf(c.Pos, "key wants the name of a key, not %s", kindOf(v))
	}
	full, whole := strings.CutPrefix(name, "/")
	if !whole {
		full = e.arch + "." + name
	}
	if v, ok := e.header.Value(full); ok {
		return v, nil
	}
	if len(c.Args) == 2 {
		return e.expr(c.Args[1].Value)
	}
	return nil, e.src.errorf(c.Pos, "the file has no key %q, which the model needs", full)
}

func (e *evaluator) has(c *callNode, v any) (any, *Error) {
	switch v.(type) {
	case *Weight:
		return true, nil
	case absent:
		return false, nil
	}
	return nil, e.src.errorf(c.Pos, "has wants a weight, not %s", kindOf(v))
}

// tail applies .name, [i] or [a:b].
func (e *evaluator) tail(v any, t *tailNode) (any, *Error) {
	if isPoison(v) {
		return nil, poisoned
	}
	switch {
	case t.Member != "":
		return e.member(v, t)
	case t.Index.Colon:
		return e.slice(v, t)
	}
	if t.Index.From == nil {
		return nil, e.src.errorf(t.Pos, "[] wants an index")
	}
	i, err := e.integer(t.Index.From, "an index")
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case Array:
		if i >= 0 && i < int64(v.Len()) {
			return v.At(int(i)), nil
		}
		return nil, e.src.errorf(t.Pos, "index %d is outside the list of %d elements", i, v.Len())
	case table:
		if i >= v.from && i < v.from+int64(len(v.vals)) {
			return v.vals[i-v.from], nil
		}
		return nil, e.src.errorf(t.Pos, "index %d is outside %d..%d", i, v.from, v.from+int64(len(v.vals)))
	case group:
		return e.groupAt(v, i, t.Pos)
	case stateTable:
		return e.stateAt(v, i, t.Pos)
	}
	return nil, e.src.errorf(t.Pos, "%s has no elements to index", kindOf(v))
}

func (e *evaluator) slice(v any, t *tailNode) (any, *Error) {
	if e.tensor == nil {
		return nil, e.src.errorf(t.Pos, "columns can be taken inside an entry only")
	}
	from, to := int64(0), int64(-1)
	var err *Error
	if t.Index.From != nil {
		if from, err = e.integer(t.Index.From, "a column"); err != nil {
			return nil, err
		}
	}
	if t.Index.To != nil {
		if to, err = e.integer(t.Index.To, "a column"); err != nil {
			return nil, err
		}
		if to < 0 {
			return nil, e.src.errorf(t.Pos, "column %d is negative", to)
		}
	}
	return e.tensor.columns(v, from, to, t.Pos)
}
