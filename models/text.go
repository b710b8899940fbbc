package models

import (
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// piece of a string: text as it stands, or an expression.
type piece struct {
	lit  string
	expr *exprNode
}

// text returns the string without its quotes and with braces as they stand.
func (t *textNode) text() string { return strings.Trim(t.Raw, `"`) }

// split cuts a string at its {expr} parts and fills in t.pieces.
func (s *source) split(t *textNode) *Error {
	body := t.text()
	t.pieces = nil
	for at := 0; at < len(body); {
		open := strings.IndexByte(body[at:], '{')
		if open < 0 {
			t.pieces = append(t.pieces, piece{lit: body[at:]})
			return nil
		}
		if open > 0 {
			t.pieces = append(t.pieces, piece{lit: body[at : at+open]})
		}
		start := at + open + 1
		n := strings.IndexByte(body[start:], '}')
		if n < 0 {
			return s.errorf(t.place(start-1), "{ without } in %q", body)
		}
		e, err := s.parseInner(body[start:start+n], t.place(start))
		if err != nil {
			return err
		}
		t.pieces = append(t.pieces, piece{expr: e})
		at = start + n + 1
	}
	return nil
}

// place is where byte i of the string's body lies in the file.
func (t *textNode) place(i int) lexer.Position {
	p := t.Pos
	p.Column += 1 + utf8.RuneCountInString(t.text()[:i])
	p.Offset += 1 + i
	return p
}

// parseInner reads an expression inside a string. at is where it begins in the file.
func (s *source) parseInner(text string, at lexer.Position) (*exprNode, *Error) {
	bad := s.errorf(at, "%q is not an expression", text)
	inner := newSource(s.name, text)
	toks, err := inner.lex()
	if err != nil || inner.checkDepth(toks) != nil {
		return nil, bad
	}
	for i := range toks {
		p := &toks[i].Pos
		p.Line, p.Column, p.Offset = at.Line, p.Column+at.Column-1, p.Offset+at.Offset
	}
	peeking, err := lexer.Upgrade(&tokenList{toks}, elided...)
	if err != nil {
		return nil, bad
	}
	e, err := exprParser.ParseFromLexer(peeking)
	if err != nil {
		return nil, bad
	}
	return e, nil
}
