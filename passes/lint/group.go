package lint

import (
	"strconv"
	"strings"
)

// Group folds findings of one root cause: the same code at ops and buffers whose names differ
// in numbers only (the layers of a model), in whatever entry. The first stands for all and
// counts the others in More. Waived and counted findings are kept apart.
func Group(fs []Finding) []Finding {
	first := map[string]int{}
	var out []Finding
	for _, f := range fs {
		k := cause(&f)
		if i, ok := first[k]; ok {
			out[i].More += 1 + f.More
			continue
		}
		first[k] = len(out)
		out = append(out, f)
	}
	return out
}

func cause(f *Finding) string {
	var b strings.Builder
	b.WriteString(f.Code)
	b.WriteString(f.Severity.String())
	b.WriteString(f.Ignored)
	for _, o := range f.Ops {
		b.WriteByte('|')
		b.WriteString(o.Kind)
		unnumber(&b, o.Name)
	}
	if len(f.Bytes) > 0 {
		b.WriteByte('|')
		unnumber(&b, f.Bytes[0].Buf)
	}
	if len(f.Ops)+len(f.Bytes) == 0 {
		b.WriteString(f.Summary)
	}
	return b.String()
}

// unnumber writes s with each number between separators as #. A number that is the whole name
// stays: two ops called 1 and 2 have nothing in common.
func unnumber(b *strings.Builder, s string) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '/' })
	for _, p := range parts {
		if _, err := strconv.Atoi(p); err == nil && len(parts) > 1 {
			p = "#"
		}
		b.WriteByte('.')
		b.WriteString(p)
	}
}
