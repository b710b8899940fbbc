package ptx

import (
	"fmt"
	"slices"
)

// maxRuns bounds how many separate ranges a coverage may consist of.
const maxRuns = 1 << 14

// union adds up the pieces; ok is false when there are too many separate ranges to list.
func union(pieces []piece) (out []Span, ok bool) {
	// stores that differ only in their constant (an unrolled row) may fill each other's gaps
	groups := map[string][]piece{}
	var order []string
	for _, p := range pieces {
		if p.width == 0 {
			continue
		}
		k := fmt.Sprint(p.progs)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], p)
	}
	ok = true
	for _, k := range order {
		g := groups[k]
		var spans []Span
		for _, p := range g {
			spans = append(spans, Span{p.start, p.start + p.width})
		}
		for _, pr := range g[0].progs {
			spans = merge(spans)
			if len(spans) == 1 && pr.step <= spans[0].Hi-spans[0].Lo {
				spans[0].Hi += pr.step * (pr.n - 1)
				continue
			}
			if int64(len(spans))*pr.n > maxRuns {
				ok = false
				spans = nil
				break
			}
			base := spans
			for i := int64(1); i < pr.n; i++ {
				for _, s := range base {
					spans = append(spans, Span{s.Lo + i*pr.step, s.Hi + i*pr.step})
				}
			}
		}
		out = append(out, spans...)
	}
	return merge(out), ok
}

// merge sorts spans and joins those that touch.
func merge(spans []Span) []Span {
	slices.SortFunc(spans, func(x, y Span) int {
		switch {
		case x.Lo < y.Lo:
			return -1
		case x.Lo > y.Lo:
			return 1
		}
		return 0
	})
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, s.Hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}
