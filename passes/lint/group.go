package lint

import (
	"strconv"
	"strings"
)

// Group folds findings of one root cause: the same code at ops and buffers whose names differ
// in numbers only (the layers of a model), in whatever entry. The first stands for all and
// counts the others in More. Waived and counted findings are kept apart.
func Group(fs []Finding) []Finding {
	fs = foldFeeders(fs)
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

// foldFeeders drops the dead chains (D02) that end in the unread half of a phantom: they are
// dead only because their end was bound to nobody, and come back to life with the repair. The
// D01 counts their ops. A chain whose D01 is not listed, is waived or has no other half stays.
func foldFeeders(fs []Finding) []Finding {
	type place struct{ entry, step int32 }
	root := map[place]int{}
	for i := range fs {
		if f := &fs[i]; f.Code == "D01" && f.paired && f.Ignored == "" {
			root[place{f.entry, f.step}] = i
		}
	}
	feeders := map[int]map[int32]bool{} // by D01: steps of its chains
	var folded []int
	for i := range fs {
		f := &fs[i]
		if f.Code != "D02" || f.Ignored != "" {
			continue
		}
		end, ok := root[place{f.entry, f.Ops[len(f.Ops)-1].Step}]
		if !ok {
			continue
		}
		if feeders[end] == nil {
			feeders[end] = map[int32]bool{}
		}
		for _, o := range f.Ops[:len(f.Ops)-1] {
			feeders[end][o.Step] = true
		}
		folded = append(folded, i)
	}
	if len(folded) == 0 {
		return fs
	}
	out := make([]Finding, 0, len(fs)-len(folded))
	for i, f := range fs {
		if len(folded) > 0 && folded[0] == i {
			folded = folded[1:]
			continue
		}
		f.Feeders = len(feeders[i])
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
