package arena

import "sort"

// part is a piece of a problem that shares no time with the rest.
type part struct {
	items   []item // cliques renumbered from 0
	ids     []int  // index of each item in problem.items
	cliques int
	sum     []int64 // per clique: grains live at once
	load    []int64 // per item: the largest sum among its cliques
	bound   int64   // grains; no placement is lower
}

// parts cuts the problem wherever no buffer is live on both sides. Buffers of size 0 are in
// no part.
func (p *problem) parts() []*part {
	var parts []*part
	var cur *part
	var start, end int32         // cliques of cur
	for i, it := range p.items { // canonical order: by start of life
		if it.size == 0 {
			continue
		}
		if cur == nil || it.lo >= end {
			cur, start, end = &part{}, it.lo, it.hi
			parts = append(parts, cur)
		}
		end = max(end, it.hi)
		it.lo, it.hi = it.lo-start, it.hi-start
		cur.items = append(cur.items, it)
		cur.ids = append(cur.ids, i)
		cur.cliques = int(end - start)
	}
	for _, pt := range parts {
		pt.measure()
	}
	return parts
}

func (pt *part) measure() {
	pt.sum = make([]int64, pt.cliques)
	pt.load = make([]int64, len(pt.items))
	for _, it := range pt.items {
		for c := it.lo; c < it.hi; c++ {
			pt.sum[c] += it.size
		}
		if it.fixed != free {
			pt.bound = max(pt.bound, it.fixed+it.size)
		}
	}
	for i, it := range pt.items {
		for c := it.lo; c < it.hi; c++ {
			pt.load[i] = max(pt.load[i], pt.sum[c])
		}
		pt.bound = max(pt.bound, pt.load[i])
	}
}

// height returns the highest end of an item under a placement.
func (pt *part) height(offsets []int64) int64 {
	h := int64(0)
	for i, it := range pt.items {
		h = max(h, offsets[i]+it.size)
	}
	return h
}

// pairs returns how many pairs of items are live together.
func (pt *part) pairs() int {
	n := 0
	for i, it := range pt.items { // sorted by lo
		after := pt.items[i+1:]
		n += sort.Search(len(after), func(j int) bool { return after[j].lo >= it.hi })
	}
	return n
}
