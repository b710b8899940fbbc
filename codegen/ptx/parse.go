package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a whole PTX module. Errors carry the line. Opcodes that the instruction table
// does not know parse (Instr.Spec is nil): Check and the emulator refuse them, by name.
func Parse(src string) (*Module, error) {
	p := &parser{lx: lexer{src: src, line: 1}, specs: map[string]*Spec{}}
	if err := p.advance(); err != nil {
		return nil, fmt.Errorf("ptx: %w", err)
	}
	m := &Module{}
	for p.tok.kind != tokEOF {
		if err := p.directive(m); err != nil {
			return nil, fmt.Errorf("ptx: %w", err)
		}
	}
	if m.Version == "" || len(m.Target) == 0 {
		return nil, fmt.Errorf("ptx: module has no .version or no .target: not PTX text?")
	}
	if m.AddressSize != 64 {
		return nil, fmt.Errorf("ptx: address size is %d, only 64 is supported", m.AddressSize)
	}
	return m, nil
}

type parser struct {
	lx     lexer
	tok    token
	specs  map[string]*Spec // by opcode: each is matched once per module
	entry  *Entry
	scopes []*scope
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lx.next()
	return err
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{p.tok.line}, args...)...)
}

// is reports whether the current token is exactly text.
func (p *parser) is(text string) bool { return p.tok.kind != tokString && p.tok.text == text }

// accept takes the token if it is text.
func (p *parser) accept(text string) (bool, error) {
	if !p.is(text) {
		return false, nil
	}
	return true, p.advance()
}

func (p *parser) expect(text string) error {
	if !p.is(text) {
		return p.errorf("want %q, have %q", text, p.tok.text)
	}
	return p.advance()
}

func (p *parser) word() (string, error) {
	if p.tok.kind != tokWord {
		return "", p.errorf("want a name, have %q", p.tok.text)
	}
	s := p.tok.text
	return s, p.advance()
}

// count reads a non-negative integer that fits an int.
func (p *parser) count() (int, error) {
	n, err := strconv.ParseInt(p.tok.text, 0, 32)
	if p.tok.kind != tokNumber || err != nil || n < 0 {
		return 0, p.errorf("want a count, have %q", p.tok.text)
	}
	return int(n), p.advance()
}

// directive reads one module-scope item.
func (p *parser) directive(m *Module) error {
	line := p.tok.line
	w, err := p.word()
	if err != nil {
		return err
	}
	switch w {
	case ".version":
		m.Version = p.tok.text
		return p.advance()
	case ".target":
		return p.list(func() error {
			t, err := p.word()
			m.Target = append(m.Target, t)
			return err
		})
	case ".address_size":
		m.AddressSize, err = p.count()
		return err
	case ".file", ".loc":
		return p.location()
	case ".section":
		return p.section()
	case ".func":
		return p.errorf(".func is not supported: mark the function alwaysinline so that llc leaves no call")
	}
	linkage := ""
	if w == ".visible" || w == ".extern" || w == ".weak" {
		linkage = w[1:]
		if w, err = p.word(); err != nil {
			return err
		}
	}
	switch w {
	case ".entry":
		e, err := p.parseEntry(m, linkage == "visible", line)
		if err != nil {
			return err
		}
		if m.Entry(e.Name) != nil {
			return fmt.Errorf("line %d: entry %s is defined twice", line, e.Name)
		}
		m.Entries = append(m.Entries, e)
		return nil
	case ".func":
		return p.errorf(".func is not supported: mark the function alwaysinline so that llc leaves no call")
	}
	space, ok := SpaceNamed(strings.TrimPrefix(w, "."))
	if !ok || space == ParamSpace || space == Local || w[0] != '.' {
		return fmt.Errorf("line %d: unknown directive %q", line, w)
	}
	v, err := p.variable(space, linkage, line)
	if err != nil {
		return err
	}
	m.Vars = append(m.Vars, v...)
	return nil
}

// list reads item {"," item}.
func (p *parser) list(item func() error) error {
	for {
		if err := item(); err != nil {
			return err
		}
		if ok, err := p.accept(","); !ok || err != nil {
			return err
		}
	}
}

// location skips what follows .file and .loc on its line: source positions are not kept.
func (p *parser) location() error {
	line := p.tok.line
	for p.tok.kind != tokEOF && p.tok.line == line {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// section skips a debug section.
func (p *parser) section() error {
	depth := 0
	for p.tok.kind != tokEOF {
		if p.is("{") {
			depth++
		} else if p.is("}") {
			if depth--; depth == 0 {
				return p.advance()
			}
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	return p.errorf("section is not closed")
}

// alignment reads ".align N" if it is there.
func (p *parser) alignment() (int, error) {
	if ok, err := p.accept(".align"); !ok || err != nil {
		return 0, err
	}
	n, err := p.count()
	if err == nil && (n < 1 || n > 1<<20 || n&(n-1) != 0) {
		err = p.errorf("alignment %d is not a power of two up to 1 MiB", n)
	}
	return n, err
}

// dims reads "[4][]..."; only the first dimension may be left out.
func (p *parser) dims() ([]int, error) {
	var ds []int
	total := 1
	for p.is("[") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		n := -1
		if !p.is("]") || len(ds) > 0 {
			var err error
			if n, err = p.count(); err != nil {
				return nil, err
			}
			if total *= max(n, 1); total > 1<<30 {
				return nil, p.errorf("array is larger than 1 GiB")
			}
		}
		ds = append(ds, n)
		if err := p.expect("]"); err != nil {
			return nil, err
		}
	}
	return ds, nil
}

// scalarType reads ".f32" and the like.
func (p *parser) scalarType() (Type, error) {
	t := TypeNamed(strings.TrimPrefix(p.tok.text, "."))
	if p.tok.kind != tokWord || t == NoType || p.tok.text[0] != '.' {
		return NoType, p.errorf("unknown type %q", p.tok.text)
	}
	return t, p.advance()
}

// variable reads what follows the space: "[.align N] [.vK] type name[dims] [= init] {, ...};".
func (p *parser) variable(space Space, linkage string, line int) ([]*Var, error) {
	align, err := p.alignment()
	if err != nil {
		return nil, err
	}
	vec := 0
	if p.is(".v2") || p.is(".v4") {
		vec = int(p.tok.text[2] - '0')
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	typ, err := p.scalarType()
	if err != nil {
		return nil, err
	}
	if typ == Pred {
		return nil, p.errorf("a variable cannot be a predicate")
	}
	var vars []*Var
	err = p.list(func() error {
		v := &Var{Space: space, Linkage: linkage, Align: align, Vec: vec, Type: typ, Line: line}
		if v.Name, err = p.word(); err != nil {
			return err
		}
		if v.Dims, err = p.dims(); err != nil {
			return err
		}
		if v.Dynamic() && (space != Shared || linkage != "extern") {
			return p.errorf("%s: only extern .shared arrays may have no size", v.Name)
		}
		if ok, err := p.accept("="); err != nil {
			return err
		} else if ok {
			if v.Init, err = p.initialiser(v); err != nil {
				return err
			}
		}
		vars = append(vars, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return vars, p.expect(";")
}

// initialiser reads a number or a flat (or nested) brace list of numbers.
func (p *parser) initialiser(v *Var) ([]Operand, error) {
	var out []Operand
	limit := v.Bytes()
	depth := 0
	for {
		if p.is("{") {
			depth++
			if err := p.advance(); err != nil {
				return nil, err
			}
			continue
		}
		o, err := p.immediate()
		if err != nil {
			return nil, err
		}
		if out = append(out, o); len(out)*v.Type.Bytes() > limit {
			return nil, p.errorf("%s: more initial values than the variable holds", v.Name)
		}
		for p.is("}") && depth > 0 {
			depth--
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
		if depth == 0 {
			return out, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}
