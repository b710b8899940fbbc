package ptx

import "strings"

// Source is PTX cut at its entries, because a plan has many and a reader needs few.
type Source struct {
	text    string
	head    int            // bytes before the first entry: directives and variables
	entries map[string]int // entry -> where its first line starts
	ends    map[string]int // entry -> where it ends
	lines   map[string]int // entry -> lines between the head and it
}

// entryWord starts an entry, after directives of linkage on the same line.
const entryWord = ".entry "

// Cut finds the entries of a text that a compiler wrote; it does not parse it.
func Cut(text string) *Source {
	s := &Source{text: text, head: len(text), entries: map[string]int{}, ends: map[string]int{}, lines: map[string]int{}}
	last, lines := "", 0
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := text[at:end]
		if i := strings.Index(line, entryWord); i >= 0 && !strings.Contains(line[:i], "//") {
			if last == "" {
				s.head, lines = at, 0
			} else {
				s.ends[last] = at
			}
			last = strings.TrimRight(strings.TrimSpace(line[i+len(entryWord):]), "( ")
			if n := strings.IndexAny(last, "( "); n >= 0 {
				last = last[:n]
			}
			s.entries[last], s.lines[last] = at, lines
		}
		lines++
		at = end
	}
	if last != "" {
		s.ends[last] = len(text)
	}
	return s
}

// Only returns the text without the other entries: empty lines stand for them, so that line
// numbers are those of the whole. For an entry that is not there it returns the whole text.
func (s *Source) Only(entry string) string {
	at, ok := s.entries[entry]
	if !ok {
		return s.text
	}
	return s.text[:s.head] + strings.Repeat("\n", s.lines[entry]) + s.text[at:s.ends[entry]]
}

// Alone returns what comes ahead of all entries, and the entry.
func (s *Source) Alone(entry string) (string, bool) {
	at, ok := s.entries[entry]
	if !ok {
		return "", false
	}
	return s.text[:s.head] + s.text[at:s.ends[entry]], true
}
