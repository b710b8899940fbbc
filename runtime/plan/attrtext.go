package plan

import (
	"math"
	"strconv"
	"strings"
)

// AttrText returns the value of an attribute as the text form writes it, without quotes.
func (p *Plan) AttrText(a Attr) string {
	switch a.Kind {
	case Int:
		return strconv.FormatInt(int64(a.Val), 10)
	case Float:
		return floatText(math.Float64frombits(a.Val))
	}
	return p.Strings[a.Val]
}

// appendValue appends the value so that it parses back with the same kind.
func (p *Plan) appendValue(b []byte, a Attr) []byte {
	s := p.AttrText(a)
	if a.Kind == Text && (!bare(s, chValue) || looksInt(s) || looksFloat(s)) {
		return strconv.AppendQuote(b, s)
	}
	return append(b, s...)
}

// floatText is the shortest text that parses back to f and cannot be taken for an integer.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// digits returns the number of decimal digits at the start of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// looksInt says whether s is an optional minus and digits.
func looksInt(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && digits(s) == len(s)
}

// looksFloat says whether s is a number with a point or an exponent, inf, -inf or nan.
func looksFloat(s string) bool {
	if s == "inf" || s == "-inf" || s == "nan" {
		return true
	}
	s = strings.TrimPrefix(s, "-")
	n := digits(s)
	rest, marked := s[n:], false
	if n == 0 {
		return false
	}
	if strings.HasPrefix(rest, ".") {
		frac := digits(rest[1:])
		rest, marked = rest[1+frac:], frac > 0
		if !marked {
			return false
		}
	}
	if strings.HasPrefix(rest, "e") {
		exp := rest[1:]
		if exp != "" && (exp[0] == '+' || exp[0] == '-') {
			exp = exp[1:]
		}
		return exp != "" && digits(exp) == len(exp)
	}
	return marked && rest == ""
}

// attr reads a value and makes the attribute.
func (ps *parser) attr(key string, f field) Attr {
	c := ps.cursor(f)
	a := Attr{Key: ps.b.Str(key), Kind: Text}
	if c.peek() == '"' {
		a.Val = uint64(ps.b.Str(c.quoted()))
		c.end("the quoted value")
		return a
	}
	s := f.s
	switch {
	case looksInt(s):
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			c.fail("%s=%s does not fit in 64 bits", key, s)
		}
		a.Kind, a.Val = Int, uint64(v)
	case looksFloat(s):
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			c.fail("%s=%s does not fit in a float64", key, s)
		}
		if v != v {
			v = math.NaN()
		}
		a.Kind, a.Val = Float, math.Float64bits(v)
	case bare(s, chValue):
		a.Val = uint64(ps.b.Str(s))
	default:
		c.fail("value of %s must be quoted", key)
	}
	return a
}
