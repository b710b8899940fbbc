package ptx

import (
	"fmt"
	"strings"
)

// Spec is what the instruction table says of one opcode.
type Spec struct {
	Row   *Row
	Op    string   // the whole opcode
	Name  string   // its first word
	Mods  []string // the others
	Types []Type   // of the modifiers that are types, in order
	Space Space    // Generic when none is named; cp.async: Shared, the one it writes
	args  []argSpec
}

// argSpec is one word of Row.Args.
type argSpec struct {
	role     byte
	typ      Type // of the operand; NoType: not typed
	optional bool
}

// pattern is a Row.Pattern taken apart: per word its alternatives.
type pattern struct {
	row   *Row
	words []patternWord
}

type patternWord struct {
	alts     []string
	optional bool
}

// patterns holds the rows by first word, in table order.
var patterns = func() map[string][]pattern {
	m := map[string][]pattern{}
	for i := range Rows {
		p := pattern{row: &Rows[i]}
		for _, w := range strings.Fields(Rows[i].Pattern) {
			pw := patternWord{}
			w, pw.optional = strings.CutSuffix(w, "?")
			for _, alt := range strings.Split(w, "|") {
				if strings.HasPrefix(alt, "@") {
					if sets[alt] == "" {
						panic("BUG: instruction table: no set " + alt)
					}
					pw.alts = append(pw.alts, strings.Split(sets[alt], "|")...)
				} else {
					pw.alts = append(pw.alts, alt)
				}
			}
			p.words = append(p.words, pw)
		}
		for _, name := range p.words[0].alts {
			q := p
			q.words = p.words[1:]
			m[name] = append(m[name], q)
		}
	}
	return m
}()

// match reports whether the modifiers fit the words, trying to leave optional ones out.
func match(words []patternWord, mods []string) bool {
	if len(words) == 0 {
		return len(mods) == 0
	}
	if len(mods) > 0 {
		for _, alt := range words[0].alts {
			if alt == mods[0] && match(words[1:], mods[1:]) {
				return true
			}
		}
	}
	return words[0].optional && match(words[1:], mods)
}

// Lookup returns the table's description of an opcode, or nil if the table does not know it.
func Lookup(op string) *Spec {
	parts := strings.Split(op, ".")
	if len(parts) > 16 {
		return nil
	}
	for _, p := range patterns[parts[0]] {
		if !match(p.words, parts[1:]) {
			continue
		}
		s := &Spec{Row: p.row, Op: op, Name: parts[0], Mods: parts[1:]}
		for _, m := range s.Mods {
			if t := TypeNamed(m); t != NoType {
				s.Types = append(s.Types, t)
			} else if sp, ok := SpaceNamed(m); ok && s.Space == Generic {
				s.Space = sp
			}
		}
		for _, w := range strings.Fields(p.row.Args) {
			s.args = append(s.args, s.argSpec(w))
		}
		return s
	}
	return nil
}

func (s *Spec) argSpec(w string) argSpec {
	w, opt := strings.CutSuffix(w, "?")
	a := argSpec{role: w[0], optional: opt}
	switch t := w[1:]; t {
	case "":
		if a.role == 'q' {
			a.typ = Pred
		}
	case "0":
		a.typ = s.Types[0]
	case "1":
		a.typ = s.Types[1]
	case "w":
		a.typ = map[Type]Type{U16: U32, S16: S32, U32: U64, S32: S64}[s.Types[0]]
	default:
		if a.typ = TypeNamed(t); a.typ == NoType {
			panic("BUG: instruction table: " + s.Row.Pattern + ": no type " + t)
		}
	}
	return a
}

// Has reports whether the opcode carries the modifier.
func (s *Spec) Has(mod string) bool {
	for _, m := range s.Mods {
		if m == mod {
			return true
		}
	}
	return false
}

// Vec is the number of elements that a load or store moves per thread: 1, 2 or 4.
func (s *Spec) Vec() int {
	switch {
	case s.Has("v4"):
		return 4
	case s.Has("v2"):
		return 2
	}
	return 1
}

// ArgType is the type of operand i by the table, NoType for addresses and labels.
func (s *Spec) ArgType(i int) Type { return s.args[i].typ }

// IsDst reports whether operand i is written.
func (s *Spec) IsDst(i int) bool {
	return i < len(s.args) && strings.IndexByte("dDxXqr", s.args[i].role) >= 0
}

// checkOperands holds the operands of in against the table: count, kind, register width.
func (s *Spec) checkOperands(e *Entry, in *Instr) error {
	least := 0
	for _, a := range s.args {
		if !a.optional {
			least++
		}
	}
	if len(in.Args) < least || len(in.Args) > len(s.args) {
		return fmt.Errorf("%s: %d operands, want %d", in.Op, len(in.Args), least)
	}
	for i := range in.Args {
		if err := s.args[i].check(e, &in.Args[i]); err != nil {
			return fmt.Errorf("%s: operand %d: %w", in.Op, i+1, err)
		}
	}
	return nil
}

func (a argSpec) check(e *Entry, o *Operand) error {
	switch a.role {
	case 'm':
		if o.Kind != OpAddr {
			return fmt.Errorf("want an address in brackets")
		}
		if o.Reg >= 0 {
			if t := e.Regs[o.Reg].Type; t.Bits() != 64 && t.Bits() != 32 || t.Float() {
				return fmt.Errorf("%s cannot hold an address", e.Regs[o.Reg].Name)
			}
		}
		return nil
	case 'l':
		if o.Kind != OpLabel {
			return fmt.Errorf("want a label")
		}
		return nil
	case 'q', 'r':
		if o.Kind != OpPair {
			return a.scalar(e, o, a.typ)
		}
		if err := a.scalar(e, &o.Sub[0], a.typ); err != nil {
			return err
		}
		return a.scalar(e, &o.Sub[1], Pred)
	case 'x', 'y', 'X', 'Y':
		if o.Kind == OpVec {
			return a.vector(e, o)
		}
	}
	return a.scalar(e, o, a.typ)
}

// vector checks "{..}": for ld, st and mma elements of the type, for mov parts that fill it.
func (a argSpec) vector(e *Entry, o *Operand) error {
	n := len(o.Sub)
	if n != 1 && n != 2 && n != 4 {
		return fmt.Errorf("vector of %d elements", n)
	}
	for i := range o.Sub {
		s := &o.Sub[i]
		if s.Kind == OpLabel || s.Kind == OpSym || (a.role|0x20 == 'x' && s.Kind != OpReg && s.Kind != OpSink) {
			return fmt.Errorf("element %d is not a register", i+1)
		}
		if s.Kind == OpReg && e.Regs[s.Reg].Type == Pred {
			return fmt.Errorf("element %d is a predicate", i+1)
		}
	}
	return nil
}

func (a argSpec) scalar(e *Entry, o *Operand, typ Type) error {
	dst := strings.IndexByte("dDxXqr", a.role) >= 0
	switch o.Kind {
	case OpReg:
		if o.Neg && (typ != Pred || dst) {
			return fmt.Errorf("! on a register that is not a source predicate")
		}
		have := e.Regs[o.Reg].Type
		if typ == NoType || have.Bits() == typ.Bits() {
			if (have == Pred) != (typ == Pred) && typ != NoType {
				return fmt.Errorf("register %s is .%s, want .%s", e.Regs[o.Reg].Name, have, typ)
			}
			return nil
		}
		wide := strings.IndexByte("DSXY", a.role) >= 0
		if wide && have != Pred && have.Bits() > typ.Bits() {
			return nil
		}
		return fmt.Errorf("register %s is .%s, want .%s", e.Regs[o.Reg].Name, have, typ)
	case OpSink:
		if dst {
			return nil
		}
	case OpInt, OpSpecial, OpSym:
		if !dst && typ != Pred {
			return nil
		}
		if !dst && o.Kind == OpInt {
			return nil // mov.pred p, 1
		}
	case OpF32, OpF64:
		if !dst && (typ.Float() || typ.Kind() == Untyped) {
			return nil
		}
	}
	return fmt.Errorf("operand of the wrong kind")
}
