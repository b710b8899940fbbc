package chat

import (
	"errors"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/exec"

	"dsac/runtime/tokenizer"
)

// guard keeps what a message says from becoming structure. Into every string that reads like
// an added token it puts a mark after the first character, <⌖|user|>; a mark is a character
// that occurs nowhere in template or messages. The template can strip, cut and join such text
// as it likes. In its output the marks tell which of the token-like texts came from messages.
// (Half a token in a message and half in the template are not seen; templates write whole ones.)
type guard struct {
	mark    string
	special []string // longest first
	first   [256]bool
}

// newGuard picks a mark for the texts. Only bracketed tokens are guarded: a bare word such as
// /nothink is a switch that users are meant to type.
func newGuard(special []string, template string, texts []string) (*guard, error) {
	g := &guard{}
	for _, s := range special {
		if strings.HasPrefix(s, "<") || strings.HasPrefix(s, "[") {
			g.special = append(g.special, s)
			g.first[s[0]] = true
		}
	}
	sort.SliceStable(g.special, func(i, j int) bool { return len(g.special[i]) > len(g.special[j]) })
	for r := rune(0x10fffd); r > 0x10f000; r-- { // the end of the private-use planes
		mark := string(r)
		taken := func(s string) bool { return strings.Contains(s, mark) }
		if !taken(template) && !slices.ContainsFunc(texts, taken) {
			g.mark = mark
			return g, nil
		}
	}
	return nil, errors.New("the messages use thousands of private-use characters: none is left to tell them from the template")
}

// match returns the length of the longest token that s starts with, 0 for none.
func (g *guard) match(s string) int {
	if s == "" || !g.first[s[0]] {
		return 0
	}
	for _, sp := range g.special {
		if strings.HasPrefix(s, sp) {
			return len(sp)
		}
	}
	return 0
}

// text returns s with marks.
func (g *guard) text(s string) string {
	var b strings.Builder
	done := 0
	for i := range len(s) {
		if g.match(s[i:]) > 0 {
			b.WriteString(s[done : i+1]) // the first character of a guarded token is ASCII
			b.WriteString(g.mark)
			done = i + 1
		}
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// value turns a tree into what the engine works on, with marks in all strings.
func (g *guard) value(tree any) any {
	switch v := tree.(type) {
	case string:
		return g.text(v)
	case []any:
		l := make(list, len(v))
		for i := range v {
			l[i] = g.value(v[i])
		}
		return l
	case object:
		if len(v) == 0 {
			return map[string]any{} // the engine takes an empty *exec.Dict for true
		}
		d := exec.NewDict()
		for _, m := range v {
			d.Pairs = append(d.Pairs, &exec.Pair{Key: exec.AsValue(g.text(m.key)), Value: exec.AsValue(g.value(m.value))})
		}
		return d
	}
	return tree
}

// segments takes the marks out of rendered text and cuts it where they were.
func (g *guard) segments(rendered string) (segs []tokenizer.Segment) {
	parts := strings.Split(rendered, g.mark)
	text := strings.Join(parts, "")
	add := func(s string, parse bool) {
		if s != "" {
			segs = append(segs, tokenizer.Segment{Text: s, ParseSpecial: parse})
		}
	}
	pos, done := 0, 0
	for _, part := range parts[:len(parts)-1] {
		pos += len(part)
		_, n := utf8.DecodeLastRuneInString(text[:pos])
		start := pos - n
		end := start + g.match(text[start:])
		if end <= done {
			continue
		}
		start = max(start, done)
		add(text[done:start], true)
		add(text[start:end], false)
		done = end
	}
	add(text[done:], true)
	return segs
}
