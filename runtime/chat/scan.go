package chat

import (
	"fmt"
	"slices"
	"strings"
)

// pieceKind tells the parts of a template apart.
type pieceKind byte

const (
	data     pieceKind = iota // text to show
	variable                  // {{ ... }}
	block                     // {% ... %}
	comment                   // {# ... #}
	raw                       // {% raw %} ... {% endraw %}: text between
)

// piece is a part of a template.
type piece struct {
	kind        pieceKind
	text        string // for tags: what is between the delimiters and their signs
	open, shut  byte   // '-' or '+' at either end of a tag, else 0
	inner, tail byte   // raw only: signs at the end of its first and the start of its last tag
	line        int    // where it starts, from 1
}

// delimiters of tags, by their second character.
var delimiters = map[byte]struct {
	kind pieceKind
	end  string
}{'{': {variable, "}}"}, '%': {block, "%}"}, '#': {comment, "#}"}}

// scan cuts a template into pieces.
func scan(src string) (pieces []piece, err error) {
	line := 1
	for src != "" {
		at := tagStart(src)
		if at > 0 {
			pieces = append(pieces, piece{kind: data, text: src[:at], line: line})
			line += strings.Count(src[:at], "\n")
			src = src[at:]
			continue
		}
		d := delimiters[src[1]]
		end := tagEnd(src, d.kind, d.end)
		if end < 0 {
			return nil, fmt.Errorf("chat template line %d: a tag that starts with %q has no %q, or more than %d brackets inside each other", line, src[:2], d.end, maxNesting)
		}
		p := tag(d.kind, src[2:end-2], line)
		if d.kind == block && strings.TrimSpace(p.text) == "raw" {
			n, ok := 0, false
			if p, n, ok = rawPiece(p, src[end:]); !ok {
				return nil, fmt.Errorf("chat template line %d: raw has no endraw", line)
			}
			end += n
		}
		pieces = append(pieces, p)
		line += strings.Count(src[:end], "\n")
		src = src[end:]
	}
	return pieces, nil
}

// tagStart returns where the first tag of src starts, len(src) when there is none.
func tagStart(src string) int {
	for i := 0; i+1 < len(src); i++ {
		if src[i] == '{' && (src[i+1] == '{' || src[i+1] == '%' || src[i+1] == '#') {
			return i
		}
	}
	return len(src)
}

// maxNesting bounds brackets and blocks inside each other, since the engine recurses into them.
const maxNesting = 200

// checkNesting reports blocks that are nested too deep.
func checkNesting(pieces []piece) error {
	depth := 0
	for _, p := range pieces {
		if p.kind != block {
			continue
		}
		switch name, _, _ := strings.Cut(strings.Trim(p.text, whitespaceSet), " "); {
		case strings.HasPrefix(name, "end"):
			depth--
		case slices.Contains(nestingNames, name):
			depth++
		}
		if depth > maxNesting {
			return fmt.Errorf("chat template line %d: more than %d blocks inside each other", p.line, maxNesting)
		}
	}
	return nil
}

// tagEnd returns where the tag at the start of src ends, -1 when it does not. An end inside a
// string or inside brackets is none.
func tagEnd(src string, kind pieceKind, end string) int {
	if kind == comment {
		if i := strings.Index(src[2:], end); i >= 0 {
			return 2 + i + len(end)
		}
		return -1
	}
	depth := 0
	for i := 2; i < len(src); i++ {
		switch c := src[i]; {
		case depth == 0 && strings.HasPrefix(src[i:], end):
			return i + len(end)
		case c == '\'' || c == '"':
			n := stringLen(src[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
		case c == '(' || c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return -1
			}
		case c == ')' || c == ']' || c == '}':
			depth = max(0, depth-1)
		}
	}
	return -1
}

// stringLen returns the length of the string literal that s starts with, -1 if it has no end.
func stringLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return -1
}

// tag makes a piece of what is between delimiters.
func tag(kind pieceKind, inside string, line int) piece {
	p := piece{kind: kind, line: line}
	if inside != "" && (inside[0] == '-' || inside[0] == '+') {
		p.open, inside = inside[0], inside[1:]
	}
	if n := len(inside); n > 0 && (inside[n-1] == '-' || inside[n-1] == '+') {
		p.shut, inside = inside[n-1], inside[:n-1]
	}
	p.text = inside
	return p
}

// rawPiece finds the end of a raw block whose first tag is begin; n is how much of src it takes.
func rawPiece(begin piece, src string) (p piece, n int, ok bool) {
	for at := 0; ; {
		i := strings.Index(src[at:], "{%")
		if i < 0 {
			return p, 0, false
		}
		at += i
		j := strings.Index(src[at:], "%}")
		if j < 0 {
			return p, 0, false
		}
		last := tag(block, src[at+2:at+j], 0)
		if strings.TrimSpace(last.text) == "endraw" {
			return piece{kind: raw, text: src[:at], open: begin.open, inner: begin.shut, tail: last.open, shut: last.shut, line: begin.line}, at + j + 2, true
		}
		at += 2
	}
}
