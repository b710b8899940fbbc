package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// lexer cuts one line of graph text into tokens.
type lexer struct{ rest string }

// punct are the tokens of one byte. A type such as f32[Tx4] is one token.
const punct = "{},:=@"

func (l *lexer) peek() string {
	c := *l
	return c.next()
}

// next returns the next token, "" at the end of the line. An unterminated quote is one token.
func (l *lexer) next() string {
	l.rest = strings.TrimLeft(l.rest, " \t")
	if l.rest == "" {
		return ""
	}
	n := 0
	switch c := l.rest[0]; {
	case strings.IndexByte(punct, c) >= 0:
		n = 1
	case c == '"':
		q, err := strconv.QuotedPrefix(l.rest)
		if err != nil {
			n = len(l.rest)
		} else {
			n = len(q)
		}
	default:
		if n = strings.IndexAny(l.rest, " \t"+punct); n < 0 {
			n = len(l.rest)
		}
	}
	t := l.rest[:n]
	l.rest = l.rest[n:]
	return t
}

func (l *lexer) accept(t string) bool {
	if l.peek() != t {
		return false
	}
	l.next()
	return true
}

func (l *lexer) want(t string) error {
	if got := l.next(); got != t {
		return fmt.Errorf("want %q, got %q", t, got)
	}
	return nil
}

// columns accepts the brace of a column selection, which follows its value without a space;
// attributes have one before the brace.
func (l *lexer) columns() bool {
	if !strings.HasPrefix(l.rest, "{") {
		return false
	}
	l.rest = l.rest[1:]
	return true
}

func (l *lexer) number() (int, error) { return strconv.Atoi(l.next()) }

func (l *lexer) quoted() (string, error) { return strconv.Unquote(l.next()) }
