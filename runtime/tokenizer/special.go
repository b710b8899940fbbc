package tokenizer

import (
	"sort"
	"strings"
)

// special is an added token: its text is matched before the text is split into words.
type special struct {
	text string
	id   int32
}

// specials finds the longest added token that starts at a place of a text.
type specials struct {
	sorted []special     // by text, so that tokens with a common start are neighbours
	first  [256][2]int32 // first byte -> range of sorted
}

func newSpecials(list []special) specials {
	var s specials
	s.sorted = append(s.sorted, list...)
	sort.Slice(s.sorted, func(i, j int) bool { return s.sorted[i].text < s.sorted[j].text })
	for i, sp := range s.sorted {
		b := sp.text[0]
		if s.first[b][1] == 0 {
			s.first[b][0] = int32(i)
		}
		s.first[b][1] = int32(i + 1)
	}
	return s
}

// match returns the longest token that text starts with; n is its length, 0 when there is none.
func (s *specials) match(text string) (id int32, n int) {
	r := s.first[text[0]]
	run := s.sorted[r[0]:r[1]]
	for depth := 1; len(run) > 0; depth++ {
		if len(run[0].text) == depth {
			id, n = run[0].id, depth
			run = run[1:]
		}
		if depth == len(text) {
			break
		}
		c := text[depth]
		lo := sort.Search(len(run), func(i int) bool { return run[i].text[depth] >= c })
		hi := lo + sort.Search(len(run)-lo, func(i int) bool { return run[lo+i].text[depth] > c })
		run = run[lo:hi]
	}
	return id, n
}

// next returns the leftmost match in text, the longest of those that start there; n is 0 when
// there is none. (With overlapping tokens an engine that looks for the longest token of the
// whole text first cuts elsewhere; no known vocabulary has such tokens.)
func (s *specials) next(text string) (at int, id int32, n int) {
	if len(s.sorted) == 0 {
		return 0, 0, 0
	}
	for i := 0; i < len(text); i++ {
		r := s.first[text[i]]
		if r[0] == r[1] {
			continue
		}
		if id, n := s.match(text[i:]); n > 0 {
			return i, id, n
		}
	}
	return 0, 0, 0
}

// Segment is a stretch of text and whether tokens may be read out of it.
type Segment struct {
	Text         string
	ParseSpecial bool // added tokens are matched; otherwise all of it is plain text
}

// join returns the text of all segments.
func join(segs []Segment) string {
	if len(segs) == 1 {
		return segs[0].Text
	}
	var b strings.Builder
	for _, s := range segs {
		b.WriteString(s.Text)
	}
	return b.String()
}
