package emudev

import (
	"fmt"
	"strings"

	"dsac/codegen/emu"
	"dsac/codegen/ptx"
)

// kernel compiles a kernel of the plan at its first use.
func (d *Device) kernel(i int32) (*emu.Kernel, error) {
	if k := d.kernels[i]; k != nil {
		return k, nil
	}
	pk := &d.plan.Kernels[i]
	name := d.plan.Str(pk.Name)
	src := d.sources[pk.PTX]
	if src == nil {
		src = split(string(d.plan.Bytes(pk.PTX)))
		d.sources[pk.PTX] = src
	}
	m, err := ptx.Parse(src.only(name))
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	k, err := emu.Compile(m, name)
	if err != nil {
		return nil, err
	}
	d.kernels[i] = k
	return k, nil
}

// source is PTX cut at its entries, because a plan has many and a check needs few.
type source struct {
	text    string
	head    int            // bytes before the first entry: directives and variables
	entries map[string]int // entry -> where its first line starts
	ends    map[string]int // entry -> where it ends
	lines   map[string]int // entry -> lines between the head and it
}

// entryWord starts an entry, after directives of linkage on the same line.
const entryWord = ".entry "

func split(text string) *source {
	s := &source{text: text, head: len(text), entries: map[string]int{}, ends: map[string]int{}, lines: map[string]int{}}
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

// only returns the text without the other entries: empty lines stand for them, so that line
// numbers are those of the whole.
func (s *source) only(entry string) string {
	at, ok := s.entries[entry]
	if !ok {
		return s.text
	}
	return s.text[:s.head] + strings.Repeat("\n", s.lines[entry]) + s.text[at:s.ends[entry]]
}
