package ptx

import (
	"fmt"
	"strings"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokWord
	tokNumber
	tokString
	tokPunct
)

type token struct {
	kind tokenKind
	text string
	line int
}

type lexer struct {
	src  string
	pos  int
	line int
}

func isWordStart(c byte) bool {
	return c == '_' || c == '$' || c == '%' || c == '.' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordPart(c byte) bool { return isWordStart(c) && c != '%' || isDigit(c) }

// space moves past blanks and comments.
func (lx *lexer) space() error {
	for lx.pos < len(lx.src) {
		rest := lx.src[lx.pos:]
		switch {
		case rest[0] == '\n':
			lx.line++
			lx.pos++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			lx.pos++
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			lx.pos += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return fmt.Errorf("line %d: comment is not closed", lx.line)
			}
			lx.line += strings.Count(rest[:n+4], "\n")
			lx.pos += n + 4
		default:
			return nil
		}
	}
	return nil
}

// next returns the next token. Words take dots and "::" with them, so that an opcode with its
// modifiers, a directive and a special register are one word each.
func (lx *lexer) next() (token, error) {
	if err := lx.space(); err != nil {
		return token{}, err
	}
	if lx.pos >= len(lx.src) {
		return token{kind: tokEOF, line: lx.line}, nil
	}
	start, c := lx.pos, lx.src[lx.pos]
	t := token{line: lx.line}
	switch {
	case isWordStart(c):
		t.kind = tokWord
		lx.pos++
		for lx.pos < len(lx.src) {
			if isWordPart(lx.src[lx.pos]) {
				lx.pos++
			} else if strings.HasPrefix(lx.src[lx.pos:], "::") && lx.pos+2 < len(lx.src) && isWordPart(lx.src[lx.pos+2]) {
				lx.pos += 2
			} else {
				break
			}
		}
	case isDigit(c):
		t.kind = tokNumber
		for lx.pos < len(lx.src) && (isWordPart(lx.src[lx.pos])) {
			lx.pos++
		}
		// 1e-05: the sign belongs to the number
		if lx.pos < len(lx.src) && (lx.src[lx.pos] == '-' || lx.src[lx.pos] == '+') && decimalExponent(lx.src[start:lx.pos]) {
			lx.pos++
			for lx.pos < len(lx.src) && isDigit(lx.src[lx.pos]) {
				lx.pos++
			}
		}
	case c == '"':
		n := strings.IndexAny(lx.src[start+1:], "\"\n")
		if n < 0 || lx.src[start+1+n] == '\n' {
			return token{}, fmt.Errorf("line %d: string is not closed", lx.line)
		}
		lx.pos = start + n + 2
		return token{kind: tokString, text: lx.src[start+1 : start+1+n], line: lx.line}, nil
	case strings.IndexByte("{}()[]<>,;:|@!+-=", c) >= 0:
		t.kind = tokPunct
		lx.pos++
	default:
		return token{}, fmt.Errorf("line %d: unexpected character %q", lx.line, c)
	}
	t.text = lx.src[start:lx.pos]
	return t, nil
}

// decimalExponent reports whether s is a decimal number that ends in its exponent's "e".
func decimalExponent(s string) bool {
	if c := s[len(s)-1]; c != 'e' && c != 'E' {
		return false
	}
	return strings.Trim(s[:len(s)-1], "0123456789.") == "" && !strings.HasPrefix(s, "0x")
}
