package models

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"dsac/ir"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Limits of a description. They keep hostile input from exhausting stack or time; the built-in
// files stay far below them.
const (
	maxSource = 1 << 18 // bytes
	maxDepth  = 64      // nested brackets
	maxShown  = 400     // bytes of a line that an error still shows
)

// source is the text of a description, kept for error messages.
type source struct {
	name  string
	text  string
	lines []string
}

func newSource(name, text string) *source {
	return &source{name: name, text: text, lines: strings.Split(text, "\n")}
}

// pos turns a place of the parser into one with its line.
func (s *source) pos(p lexer.Position) ir.Pos {
	out := ir.Pos{File: s.name, Line: p.Line, Col: p.Column}
	if p.Line >= 1 && p.Line <= len(s.lines) {
		if line := strings.TrimRight(s.lines[p.Line-1], "\r"); len(line) <= maxShown && !strings.ContainsFunc(line, unprintable) {
			out.Text = line
		}
	}
	return out
}

// unprintable finds what only a file that is no text holds.
func unprintable(r rune) bool { return r == utf8.RuneError || r != '\t' && unicode.IsControl(r) }

func (s *source) errorf(p lexer.Position, format string, args ...any) *Error {
	return &Error{Pos: s.pos(p), Msg: fmt.Sprintf(format, args...)}
}

// parse reads the text into a tree; strings are split into their pieces by resolve.
func (s *source) parse() (*fileNode, error) {
	if len(s.text) > maxSource {
		return nil, Errors{s.errorf(lexer.Position{Line: 1, Column: 1}, "the description has %d bytes, at most %d are read", len(s.text), maxSource)}
	}
	toks, err := s.lex()
	if err != nil {
		return nil, err
	}
	if err := s.checkDepth(toks); err != nil {
		return nil, err
	}
	peeking, err := lexer.Upgrade(&tokenList{toks}, elided...)
	if err != nil {
		return nil, Errors{s.syntaxError(err)}
	}
	file, err := parser.ParseFromLexer(peeking)
	if err != nil {
		return nil, Errors{s.syntaxError(err)}
	}
	return file, nil
}

// elided are the tokens that the grammar does not see.
var elided = []lexer.TokenType{tokens.Symbols()["Comment"], tokens.Symbols()["Space"]}

// lex cuts the text into tokens. They are kept, so that limits are checked before parsing.
func (s *source) lex() ([]lexer.Token, error) {
	toks, err := parser.Lex(s.name, strings.NewReader(s.text))
	if err != nil {
		return nil, Errors{s.syntaxError(err)}
	}
	return toks, nil
}

func (s *source) checkDepth(toks []lexer.Token) error {
	depth := 0
	for _, t := range toks {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth > maxDepth {
			return Errors{s.errorf(t.Pos, "brackets nest deeper than %d", maxDepth)}
		}
	}
	return nil
}

// syntaxError puts an error of the parser library into our form.
func (s *source) syntaxError(err error) *Error {
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) {
		t := unexpected.Unexpected
		return s.errorf(t.Pos, "syntax error: unexpected %s%s", tokenText(t), wanted(unexpected.Message()))
	}
	var perr participle.Error
	if !errors.As(err, &perr) {
		return &Error{Pos: ir.Pos{File: s.name, Line: 1, Col: 1}, Msg: "syntax error: " + err.Error()}
	}
	if _, lexing := perr.(*lexer.Error); lexing {
		return s.errorf(perr.Position(), "syntax error: %s", s.badToken(perr.Position()))
	}
	return s.errorf(perr.Position(), "syntax error: %s", perr.Message())
}

// badToken says why no token begins at a place.
func (s *source) badToken(at lexer.Position) string {
	if at.Offset < 0 || at.Offset >= len(s.text) {
		return "unreadable text"
	}
	if s.text[at.Offset] == '"' {
		return `a string must end with " on its line`
	}
	r, _ := utf8.DecodeRuneInString(s.text[at.Offset:])
	return fmt.Sprintf("%q means nothing here", r)
}

func tokenText(t lexer.Token) string {
	if t.EOF() {
		return "end of file"
	}
	return fmt.Sprintf("%q", t.Value)
}

// tokenNames puts names of the grammar into words.
var tokenNames = strings.NewReplacer("<ident>", "a name", "<string>", "a string", "<number>", "a number",
	"Expr", "an expression", "PrimaryNode", "a value", "UnaryNode", "a value")

// wanted takes what was expected out of the library's message when it is short enough to help.
func wanted(msg string) string {
	_, rest, ok := strings.Cut(msg, "(expected ")
	if !ok {
		return ""
	}
	rest = strings.TrimSuffix(rest, ")")
	first, _, _ := strings.Cut(rest, " ")
	switch {
	case strings.HasPrefix(first, `"`):
		return ", want " + first
	case strings.HasPrefix(first, "<"):
		return ", want " + tokenNames.Replace(first)
	}
	return ""
}

// tokenList is a lexer over tokens that are there already.
type tokenList struct{ toks []lexer.Token }

func (l *tokenList) Next() (lexer.Token, error) {
	if len(l.toks) == 1 { // the end of the file stays
		return l.toks[0], nil
	}
	t := l.toks[0]
	l.toks = l.toks[1:]
	return t, nil
}
