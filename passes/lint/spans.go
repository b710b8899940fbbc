package lint

import "slices"

// span is a run of bytes with one history.
type span struct {
	lo, hi int64 // bytes of the region, half-open
	def    int32 // definition that reaches, or none
	write  int32 // last op that wrote it exclusively, or none
	users  int32 // readers and adders since then: head of a list in walk.users
	read   bool  // somebody read it since it was defined
}

const none int32 = -1

// spans is an ordered partition of a byte range. It starts as one span; reads and writes split
// it, a write joins what it covers, so that its length follows the number of live buffers and
// not the length of the plan.
type spans []span

// cut makes sure that a span starts at x, and returns its index.
func (s *spans) cut(x int64) int {
	i := s.find(x)
	if i == len(*s) || (*s)[i].lo == x {
		return i
	}
	right := (*s)[i]
	(*s)[i].hi, right.lo = x, x
	*s = slices.Insert(*s, i+1, right)
	return i + 1
}

// find returns the index of the span that holds x, len(s) if x is the end.
func (s *spans) find(x int64) int {
	lo, hi := 0, len(*s)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if (*s)[mid].hi <= x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// over returns the spans of [lo, hi), split at both ends. The slice is valid until the next cut.
func (s *spans) over(lo, hi int64) spans {
	i := s.cut(lo)
	j := s.cut(hi)
	return (*s)[i:j]
}

// join replaces the spans of [lo, hi) by one.
func (s *spans) join(n span) {
	i := s.cut(n.lo)
	j := s.cut(n.hi)
	(*s)[i] = n
	if j > i+1 {
		*s = slices.Delete(*s, i+1, j)
	}
}
