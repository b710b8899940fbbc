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
