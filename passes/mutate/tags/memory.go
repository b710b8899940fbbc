package tags

import (
	"slices"
	"sort"
)

// piece is a run of bytes of one origin: byte x has the value (tag, x-base).
type piece struct {
	lo, hi int64
	tag    uint64
	base   int64
}

// memory is one region: pieces in order, without gaps.
type memory []piece

// garbage is the tag of bytes that nobody has defined, unlike any value.
const garbage uint64 = 0

func newMemory(size int64) memory { return memory{{lo: 0, hi: max(size, 1), tag: garbage}} }

// index returns the piece that holds x.
func (m memory) index(x int64) int {
	return sort.Search(len(m), func(i int) bool { return m[i].hi > x })
}

// clip cuts a range to the region: accesses outside it are reported by others.
func (m memory) clip(lo, hi int64) (int64, int64) {
	return max(lo, 0), min(hi, m[len(m)-1].hi)
}

// set defines [lo, hi).
func (m *memory) set(lo, hi int64, tag uint64, base int64) {
	lo, hi = m.clip(lo, hi)
	if lo >= hi {
		return
	}
	i, j := m.index(lo), m.index(hi-1)
	first, last := (*m)[i], (*m)[j]
	var put [3]piece
	n := 0
	if first.lo < lo {
		put[n] = piece{first.lo, lo, first.tag, first.base}
		n++
	}
	put[n] = piece{lo, hi, tag, base}
	n++
	if hi < last.hi {
		put[n] = piece{hi, last.hi, last.tag, last.base}
		n++
	}
	*m = slices.Replace(*m, i, j+1, put[:n]...)
}

// each calls f for the pieces of [lo, hi).
func (m memory) each(lo, hi int64, f func(p piece)) {
	lo, hi = m.clip(lo, hi)
	if lo >= hi {
		return
	}
	for i := m.index(lo); i < len(m) && m[i].lo < hi; i++ {
		p := m[i]
		for i+1 < len(m) && m[i+1].lo < hi && m[i+1].tag == p.tag && m[i+1].base == p.base {
			i++ // one value, cut by chance
			p.hi = m[i].hi
		}
		p.lo, p.hi = max(p.lo, lo), min(p.hi, hi)
		f(p)
	}
}
