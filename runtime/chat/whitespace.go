package chat

import (
	"strconv"
	"strings"
)

// The engine strips whitespace before a block even where the block does not start its line,
// so whitespace is settled here, by the rules of Jinja2 with trim_blocks and lstrip_blocks:
//
//	{%- strips all whitespace before it, -%} all after it (also {{- -}} {#- -#});
//	{% and {# strip the blanks before them when nothing else is on their line so far,
//	%} and #} the line end after them; {%+ and +%} keep both;
//	one line end at the end of the template is dropped.
//
// The engine then gets tags without signs and text that is final. Line ends that were
// stripped move into comments, so that errors name the right lines.

const whitespaceSet = " \t\n\r\v\f"

// settle returns the template with whitespace settled and conditional expressions rewritten.
func settle(src string) (string, error) {
	src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	src = strings.TrimSuffix(src, "\n")
	pieces, err := scan(src)
	if err == nil {
		err = checkNesting(pieces)
	}
	if err != nil {
		return "", err
	}
	var out strings.Builder
	s := settler{lineStart: true}
	for i, p := range pieces {
		if p.kind == data {
			var next *piece
			if i+1 < len(pieces) {
				next = &pieces[i+1]
			}
			text := s.data(p.text, next)
			if cut, ok := strings.CutSuffix(text, "{"); ok { // would make a tag with what follows
				text = cut + `{{ "{" }}`
			}
			out.WriteString(text)
			continue
		}
		if p.kind == comment {
			s.lost += strings.Count(p.text, "\n")
		}
		out.WriteString(s.lines())
		switch p.kind {
		case variable:
			out.WriteString("{{ " + rewrite(p.text, false) + " }}")
		case block:
			out.WriteString("{% " + rewrite(p.text, true) + " %}")
		case raw:
			text := rawText(p)
			s.lost += strings.Count(p.text, "\n")
			out.WriteString("{{ " + strconv.Quote(text) + " }}")
		}
		s.after(p)
	}
	return out.String(), nil
}

// settler walks the pieces of a template.
type settler struct {
	lineStart bool // nothing is on the current line so far
	strip     byte // what the tag before takes of the text: '-' all whitespace, 'n' a line end
	lost      int  // line ends taken and not yet put into a comment
}

// lines returns a comment with the line ends that were taken, "" when there are none.
func (s *settler) lines() string {
	if s.lost == 0 {
		return ""
	}
	c := "{#" + strings.Repeat("\n", s.lost) + "#}"
	s.lost = 0
	return c
}

// data returns what is left of text between the tag before and the tag next.
func (s *settler) data(text string, next *piece) string {
	full := text
	switch s.strip {
	case '-':
		text = strings.TrimLeft(text, whitespaceSet)
	case 'n':
		text = strings.TrimPrefix(text, "\n")
	}
	if len(text) < len(full) {
		s.lineStart = full[len(full)-len(text)-1] == '\n'
	}
	s.strip = 0
	if next != nil {
		text = s.before(text, next)
	}
	s.lost += strings.Count(full, "\n") - strings.Count(text, "\n")
	if next == nil || next.open != '-' {
		s.lineStart = strings.HasSuffix(full, "\n")
	}
	return text
}

// before strips the end of text in front of a tag.
func (s *settler) before(text string, next *piece) string {
	switch {
	case next.open == '-':
		return strings.TrimRight(text, whitespaceSet)
	case next.open == '+' || next.kind == variable:
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || s.lineStart) && strings.Trim(text[line:], whitespaceSet) == "" {
		return text[:line]
	}
	return text
}

// after notes what tag p takes of the text behind it.
func (s *settler) after(p piece) {
	s.lineStart = false
	switch {
	case p.shut == '-':
		s.strip = '-'
	case p.kind != variable && p.shut != '+':
		s.strip = 'n'
	default:
		s.strip = 0
	}
}

// rawText returns the text of a raw block, stripped as its own tags say.
func rawText(p piece) string {
	s := settler{}
	if p.inner == '-' {
		s.strip = '-'
	}
	return s.data(p.text, &piece{kind: block, open: p.tail})
}
