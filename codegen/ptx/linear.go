package ptx

// symbol is an unknown of a linear form.
type symbol struct {
	kind symbolKind
	id   int  // parameter index, loop header, value, or index of an axis
	bit  int8 // of an axis: the low bit that this part starts at
}

type symbolKind uint8

const (
	symParam  symbolKind = iota // the pointer in a parameter
	symSpace                    // the start of a space other than global: id is the Space
	symVar                      // a module-scope .global variable: id is its index
	symAxis                     // part of %tid or %ctaid
	symIter                     // how often the loop headed by block id has gone round
	symOpaque                   // value id, of which at most a range is known
	symWide                     // value id read as a number of bit bits, signed when bit < 0
)

// term is coef times a symbol.
type term struct {
	sym  symbol
	coef int64
}

// linear is con plus the terms, sorted by symbol. over says that 32-bit arithmetic on the way
// may have passed 2^31.
type linear struct {
	con   int64
	terms []term
	over  bool
}

func (s symbol) less(t symbol) bool {
	if s.kind != t.kind {
		return s.kind < t.kind
	}
	if s.id != t.id {
		return s.id < t.id
	}
	return s.bit < t.bit
}

func constant(n int64) linear { return linear{con: n} }

func single(s symbol) linear { return linear{terms: []term{{s, 1}}} }

// plus is l + k*m.
func (l linear) plus(m linear, k int64) linear {
	out := linear{con: addInf(l.con, mulInf(m.con, k)), over: l.over || m.over}
	out.terms = make([]term, 0, len(l.terms)+len(m.terms))
	i, j := 0, 0
	for i < len(l.terms) || j < len(m.terms) {
		switch {
		case j == len(m.terms) || i < len(l.terms) && l.terms[i].sym.less(m.terms[j].sym):
			out.terms = append(out.terms, l.terms[i])
			i++
		case i == len(l.terms) || m.terms[j].sym.less(l.terms[i].sym):
			if c := mulInf(m.terms[j].coef, k); c != 0 {
				out.terms = append(out.terms, term{m.terms[j].sym, c})
			}
			j++
		default:
			if c := addInf(l.terms[i].coef, mulInf(m.terms[j].coef, k)); c != 0 {
				out.terms = append(out.terms, term{l.terms[i].sym, c})
			}
			i++
			j++
		}
	}
	return out
}

// isConst reports whether l is a number.
func (l linear) isConst() bool { return len(l.terms) == 0 }

// shares returns k such that l less k times m has a symbol of m less, if there is such a k, and
// how many symbols of m remain in it.
func (l linear) shares(m linear) (k int64, left int, ok bool) {
	left = len(m.terms)
	i := 0
	for _, t := range m.terms {
		for i < len(l.terms) && l.terms[i].sym.less(t.sym) {
			i++
		}
		if i == len(l.terms) {
			break
		}
		u := l.terms[i]
		if u.sym != t.sym {
			continue
		}
		if !ok && u.coef%t.coef == 0 {
			k, ok = u.coef/t.coef, true
		}
		if ok && u.coef == mulInf(k, t.coef) {
			left--
		}
	}
	return k, left, ok
}

// base takes the address symbols, which come first, out of l: what l points into, nil for a
// plain number. ok is false when l mixes several or scales one. rest shares the terms of l.
func (l linear) base() (b *symbol, rest linear, ok bool) {
	n := 0
	for n < len(l.terms) && l.terms[n].sym.kind <= symVar {
		n++
	}
	switch {
	case n == 0:
		return nil, l, true
	case n > 1 || l.terms[0].coef != 1:
		return nil, l, false
	}
	rest = l
	rest.terms = l.terms[1:len(l.terms):len(l.terms)]
	return &l.terms[0].sym, rest, true
}
