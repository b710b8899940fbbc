package ptx

import "strings"

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
