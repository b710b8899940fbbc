package ptx

import (
	"fmt"
	"slices"
)

func (p *parser) parseEntry(m *Module, visible bool, line int) (*Entry, error) {
	name, err := p.word()
	if err != nil {
		return nil, err
	}
	e := &Entry{Name: name, Visible: visible, Module: m, Line: line}
	p.entry = e
	if ok, err := p.accept("("); err != nil {
		return nil, err
	} else if ok {
		if err := p.params(e); err != nil {
			return nil, err
		}
	}
	for p.tok.kind == tokWord {
		d := PerfDirective{Name: p.tok.text[1:]}
		if !slices.Contains([]string{".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg", "." + ClusterDirective}, p.tok.text) {
			return nil, p.errorf("unknown directive %q of entry %s", p.tok.text, name)
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		err := p.list(func() error {
			n, err := p.count()
			d.Args = append(d.Args, n)
			return err
		})
		if err != nil {
			return nil, err
		}
		e.Perf = append(e.Perf, d)
	}
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	p.scopes = []*scope{newScope()}
	for len(p.scopes) > 0 {
		if err := p.statement(); err != nil {
			return nil, fmt.Errorf("entry %s: %w", name, err)
		}
	}
	return e, nil
}

func (p *parser) params(e *Entry) error {
	if ok, err := p.accept(")"); ok || err != nil {
		return err
	}
	off := 0
	err := p.list(func() error {
		if err := p.expect(".param"); err != nil {
			return err
		}
		align, err := p.alignment()
		if err != nil {
			return err
		}
		typ, err := p.scalarType()
		if err != nil {
			return err
		}
		// ".ptr .global .align 16": what the pointer points to; not binding, so not kept
		for p.is(".ptr") || p.is(".global") || p.is(".shared") || p.is(".const") || p.is(".local") || p.is(".align") {
			if p.is(".align") {
				if _, err := p.alignment(); err != nil {
					return err
				}
			} else if err := p.advance(); err != nil {
				return err
			}
		}
		pr := Param{Type: typ, Align: align}
		if pr.Name, err = p.word(); err != nil {
			return err
		}
		if pr.Dims, err = p.dims(); err != nil {
			return err
		}
		if typ == Pred || slices.Contains(pr.Dims, -1) {
			return p.errorf("parameter %s has no size", pr.Name)
		}
		a := max(align, typ.Bytes())
		off = (off + a - 1) / a * a
		pr.Off = off
		if off += pr.Bytes(); off > 4096 {
			return p.errorf("parameters of %s take more than 4096 bytes", e.Name)
		}
		e.Params = append(e.Params, pr)
		return nil
	})
	if err != nil {
		return err
	}
	return p.expect(")")
}

// statement reads one statement of the body, or the brace that ends a scope.
func (p *parser) statement() error {
	e, line := p.entry, p.tok.line
	top := p.scopes[len(p.scopes)-1]
	switch {
	case p.tok.kind == tokEOF:
		return p.errorf("body is not closed")
	case p.is("{"):
		if len(p.scopes) > 64 {
			return p.errorf("more than 64 nested scopes")
		}
		e.Body = append(e.Body, Stmt{Kind: StmtOpen})
		p.scopes = append(p.scopes, newScope())
		return p.advance()
	case p.is("}"):
		if err := p.closeScope(); err != nil {
			return err
		}
		if len(p.scopes) > 0 {
			e.Body = append(e.Body, Stmt{Kind: StmtClose})
		}
		return p.advance()
	case p.is("@"):
		return p.instruction(line)
	case p.tok.kind != tokWord:
		return p.errorf("want an instruction, have %q", p.tok.text)
	case p.is(".reg"):
		return p.regDecl(top)
	case p.is(".loc"):
		return p.location()
	case p.is(".pragma"):
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.kind != tokString {
			return p.errorf("want a string, have %q", p.tok.text)
		}
		e.Body = append(e.Body, Stmt{Kind: StmtPragma, Text: p.tok.text})
		if err := p.advance(); err != nil {
			return err
		}
		return p.expect(";")
	case p.tok.text[0] == '.':
		space, ok := SpaceNamed(p.tok.text[1:])
		if !ok || space != Shared && space != Local {
			return p.errorf("unknown directive %q in a body", p.tok.text)
		}
		if err := p.advance(); err != nil {
			return err
		}
		vs, err := p.variable(space, "", line)
		if err != nil {
			return err
		}
		for _, v := range vs {
			e.Vars = append(e.Vars, v)
			e.Body = append(e.Body, Stmt{Kind: StmtVar, Var: v})
		}
		return nil
	}
	// a label is a word followed by ":"
	save, tok := p.lx, p.tok
	if err := p.advance(); err != nil {
		return err
	}
	if p.is(":") {
		if _, dup := top.labels[tok.text]; dup {
			return p.errorf("label %s is defined twice", tok.text)
		}
		top.labels[tok.text] = len(e.Labels)
		e.Body = append(e.Body, Stmt{Kind: StmtLabel, Label: len(e.Labels)})
		e.Labels = append(e.Labels, tok.text)
		return p.advance()
	}
	p.lx, p.tok = save, tok
	return p.instruction(line)
}
