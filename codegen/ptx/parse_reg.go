package ptx

import (
	"fmt"
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
