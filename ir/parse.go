package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads what Print writes. find looks ops up by name. Types are read, then checked
// against the op's own rule.
func Parse(text string, find func(string) *Op) (*Graph, error) {
	p := &parser{find: find, vals: map[int]*Value{}}
	for i, line := range strings.Split(text, "\n") {
		p.lex = lexer{rest: line}
		if err := p.line(); err != nil {
			return nil, fmt.Errorf("line %d: %w: %s", i+1, err, strings.TrimSpace(line))
		}
	}
	if p.g == nil || !p.closed {
		return nil, fmt.Errorf("graph text ends before its closing brace")
	}
	return p.g, nil
}

type parser struct {
	find   func(string) *Op
	vals   map[int]*Value
	g      *Graph
	closed bool
	lex    lexer
}

func (p *parser) line() error {
	t := p.lex.next()
	switch {
	case t == "":
		return nil
	case p.closed:
		return fmt.Errorf("text after the closing brace")
	case t == "graph" && p.g == nil:
		p.g = &Graph{Name: p.lex.next()}
		return p.lex.want("{")
	case p.g == nil:
		return fmt.Errorf("want graph NAME {")
	case t == "}":
		p.closed = true
		return nil
	case t == "arg":
		return p.arg()
	case t == "return":
		uses, err := p.uses()
		for _, u := range uses {
			p.g.Results = append(p.g.Results, u.Val)
		}
		return err
	}
	return p.node(t)
}

func (p *parser) arg() error {
	id, err := valueID(p.lex.next())
	if err != nil {
		return err
	}
	if err := p.lex.want("="); err != nil {
		return err
	}
	v := &Value{Layer: -1}
	switch k := p.lex.next(); k {
	case "input":
		v.Kind = Input
	case "weight":
		v.Kind = Weight
	case "state":
		v.Kind = State
	default:
		return fmt.Errorf("argument kind %q", k)
	}
	if v.Name, err = p.lex.quoted(); err != nil {
		return err
	}
	if p.lex.accept("layer") {
		if v.Layer, err = p.lex.number(); err != nil {
			return err
		}
	}
	if p.lex.accept("shard") {
		axis, err := p.lex.number()
		if err != nil {
			return err
		}
		v.Shard = axis + 1
	}
	if err := p.lex.want(":"); err != nil {
		return err
	}
	if v.Type, err = ParseType(p.lex.next()); err != nil {
		return err
	}
	if v.Pos, err = p.pos(); err != nil {
		return err
	}
	p.g.Args = append(p.g.Args, v)
	return p.define(id, v)
}

func (p *parser) define(id int, v *Value) error {
	if p.vals[id] != nil {
		return fmt.Errorf("%%%d is defined twice", id)
	}
	p.vals[id], v.ID = v, id
	return nil
}

func (p *parser) node(first string) error {
	var ids []int
	for t := first; ; t = p.lex.next() {
		id, err := valueID(t)
		if err != nil {
			return err
		}
		ids = append(ids, id)
		if !p.lex.accept(",") {
			break
		}
	}
	if err := p.lex.want("="); err != nil {
		return err
	}
	name := p.lex.next()
	op := p.find(name)
	if op == nil {
		return fmt.Errorf("unknown op %q", name)
	}
	uses, err := p.uses()
	if err != nil {
		return err
	}
	attrs, err := p.attrs()
	if err != nil {
		return err
	}
	types, err := p.types()
	if err != nil {
		return err
	}
	at := Node{Layer: -1, Into: -1}
	if p.lex.accept("@") {
		if at.Label, err = p.lex.quoted(); err != nil {
			return err
		}
	}
	if p.lex.accept("layer") {
		if at.Layer, err = p.lex.number(); err != nil {
			return err
		}
	}
	if p.lex.accept("into") {
		if at.Into, err = p.lex.number(); err != nil {
			return err
		}
	}
	at.Dist = p.lex.accept("dist")
	if at.Pos, err = p.pos(); err != nil {
		return err
	}
	n, err := p.g.Add(op, uses, attrs, at)
	if err != nil {
		return err
	}
	if len(ids) != len(n.Out) || len(types) != len(n.Out) {
		return fmt.Errorf("%s has %d results", op.Name, len(n.Out))
	}
	for i, v := range n.Out {
		if v.Type != types[i] {
			return fmt.Errorf("%%%d is %s, its op gives %s", ids[i], types[i], v.Type)
		}
		if err := p.define(ids[i], v); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) uses() ([]Use, error) {
	var out []Use
	for strings.HasPrefix(p.lex.peek(), "%") {
		id, err := valueID(p.lex.next())
		if err != nil {
			return nil, err
		}
		u := Use{Val: p.vals[id]}
		if u.Val == nil {
			return nil, fmt.Errorf("%%%d is not defined", id)
		}
		if p.lex.columns() {
			lo, err := p.lex.number()
			if err != nil {
				return nil, err
			}
			if err := p.lex.want(":"); err != nil {
				return nil, err
			}
			hi, err := p.lex.number()
			if err != nil {
				return nil, err
			}
			if hi <= lo || lo < 0 {
				return nil, fmt.Errorf("columns {%d:%d}", lo, hi)
			}
			u.Col, u.Cols = lo, hi-lo
			if err := p.lex.want("}"); err != nil {
				return nil, err
			}
		}
		out = append(out, u)
		if !p.lex.accept(",") {
			break
		}
	}
	return out, nil
}

func (p *parser) attrs() (Attrs, error) {
	var out Attrs
	if !p.lex.accept("{") {
		return nil, nil
	}
	for !p.lex.accept("}") {
		name := p.lex.next()
		if err := p.lex.want(":"); err != nil {
			return nil, err
		}
		v, err := parseAttr(p.lex.next())
		if err != nil {
			return nil, err
		}
		out = out.With(name, v)
		if !p.lex.accept(",") && p.lex.peek() != "}" {
			return nil, fmt.Errorf("want , or } after attribute %s", name)
		}
	}
	return out, nil
}

func (p *parser) types() ([]Type, error) {
	var out []Type
	if err := p.lex.want(":"); err != nil {
		return nil, err
	}
	for {
		t, err := ParseType(p.lex.next())
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		if !p.lex.accept(",") {
			return out, nil
		}
	}
}

func (p *parser) pos() (Pos, error) {
	var pos Pos
	if !p.lex.accept("at") {
		return pos, nil
	}
	var err error
	if pos.File, err = p.lex.quoted(); err != nil {
		return pos, err
	}
	if pos.Line, err = p.lex.number(); err != nil {
		return pos, err
	}
	if pos.Col, err = p.lex.number(); err != nil {
		return pos, err
	}
	pos.Text, err = p.lex.quoted()
	return pos, err
}

func valueID(t string) (int, error) {
	if !strings.HasPrefix(t, "%") {
		return 0, fmt.Errorf("want a value such as %%3, got %q", t)
	}
	return strconv.Atoi(t[1:])
}
