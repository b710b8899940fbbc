package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxRegisters bounds what a body may name; ptxas gives up far earlier.
const maxRegisters = 1 << 20

// scope is one brace level of a body: inline assembly declares its own registers and labels.
type scope struct {
	regs   map[string]int
	ranges []RegDecl
	labels map[string]int
	waits  []labelUse
}

// labelUse is a branch whose label has not been seen in its scope yet.
type labelUse struct {
	name string
	line int
	at   *Instr
	arg  int
}

func newScope() *scope { return &scope{regs: map[string]int{}, labels: map[string]int{}} }

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
		if !slices.Contains([]string{".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg"}, p.tok.text) {
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

// closeScope binds the branches of the scope to its labels and hands the rest to the outer one.
func (p *parser) closeScope() error {
	n := len(p.scopes) - 1
	top := p.scopes[n]
	p.scopes = p.scopes[:n]
	for _, u := range top.waits {
		if id, ok := top.labels[u.name]; ok {
			u.at.Args[u.arg].Int = int64(id)
		} else if n == 0 {
			return fmt.Errorf("line %d: label %s is not defined", u.line, u.name)
		} else {
			p.scopes[n-1].waits = append(p.scopes[n-1].waits, u)
		}
	}
	return nil
}

func (p *parser) regDecl(s *scope) error {
	if err := p.advance(); err != nil {
		return err
	}
	typ, err := p.scalarType()
	if err != nil {
		return err
	}
	d := RegDecl{Type: typ}
	err = p.list(func() error {
		w, err := p.word()
		if err != nil {
			return err
		}
		d.Names = append(d.Names, w)
		if ok, err := p.accept("<"); err != nil || !ok {
			return err
		}
		if len(d.Names) > 1 {
			return p.errorf("a register range %s<..> needs a declaration of its own", w)
		}
		if d.Count, err = p.count(); err != nil {
			return err
		}
		if d.Count == 0 {
			return p.errorf("register range %s<0> is empty", w)
		}
		return p.expect(">")
	})
	if err != nil {
		return err
	}
	if d.Count > 0 {
		if len(d.Names) > 1 {
			return p.errorf("a register range %s<%d> needs a declaration of its own", d.Names[0], d.Count)
		}
		s.ranges = append(s.ranges, d)
	} else {
		for _, n := range d.Names {
			if _, dup := s.regs[n]; dup {
				return p.errorf("register %s is declared twice", n)
			}
			s.regs[n] = len(p.entry.Regs)
			p.entry.Regs = append(p.entry.Regs, Register{n, typ})
		}
	}
	p.entry.Body = append(p.entry.Body, Stmt{Kind: StmtRegs, Regs: d})
	return p.expect(";")
}

// register returns the index of the register called name, or -1.
func (p *parser) register(name string) int {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		s := p.scopes[i]
		if r, ok := s.regs[name]; ok {
			return r
		}
		stem := strings.TrimRight(name, "0123456789")
		digits := name[len(stem):]
		if digits == "" || len(digits) > 1 && digits[0] == '0' {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			continue
		}
		for _, d := range s.ranges {
			if d.Names[0] == stem && n < d.Count && len(p.entry.Regs) < maxRegisters {
				s.regs[name] = len(p.entry.Regs)
				p.entry.Regs = append(p.entry.Regs, Register{name, d.Type})
				return s.regs[name]
			}
		}
	}
	return -1
}
