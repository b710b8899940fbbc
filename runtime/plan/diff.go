package plan

import (
	"fmt"
	"strings"
)

// Diff returns the first difference between two sound plans in words, or "" if their content
// is the same. The order of strings and pools does not count.
func Diff(a, b *Plan) string {
	al, bl := lines(a), lines(b)
	entry := ""
	for i := 0; i < len(al) || i < len(bl); i++ {
		switch {
		case i >= len(al):
			return fmt.Sprintf("%sonly the second has: %s", entry, bl[i])
		case i >= len(bl):
			return fmt.Sprintf("%sonly the first has: %s", entry, al[i])
		case al[i] != bl[i]:
			if strings.HasPrefix(al[i], "entry ") {
				entry = ""
			}
			return entry + describe(al[i], bl[i])
		}
		if name, ok := strings.CutPrefix(al[i], "entry "); ok {
			name, _, _ = strings.Cut(name, " ")
			entry = "entry " + name + ": "
		}
	}
	return ""
}

func lines(p *Plan) []string {
	ls := strings.Split(p.Text(), "\n")
	return ls[:len(ls)-1] // the text ends in a newline
}

// describe compares two lines word by word.
func describe(a, b string) string {
	af, _ := split(a)
	bf, _ := split(b)
	if len(af) < 2 || len(bf) < 2 || af[0].s != bf[0].s || af[1].s != bf[1].s {
		return fmt.Sprintf("%q against %q", a, b)
	}
	what := af[0].s + " " + af[1].s
	for i := 2; i < len(af) || i < len(bf); i++ {
		switch {
		case i >= len(af):
			return fmt.Sprintf("%s: only the second has %s", what, bf[i].s)
		case i >= len(bf):
			return fmt.Sprintf("%s: only the first has %s", what, af[i].s)
		case af[i].s != bf[i].s:
			return fmt.Sprintf("%s: %s against %s", what, af[i].s, bf[i].s)
		}
	}
	return fmt.Sprintf("%q against %q", a, b)
}
