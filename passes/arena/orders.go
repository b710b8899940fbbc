package arena

import (
	"cmp"
	"slices"
)

// key is one criterion by which buffers are ordered; the larger value comes first.
type key func(pt *part, i int32) int64

func area(pt *part, i int32) int64    { return saturatingMul(pt.items[i].width, pt.items[i].size) }
func size(pt *part, i int32) int64    { return pt.items[i].size }
func life(pt *part, i int32) int64    { return pt.items[i].width }
func load(pt *part, i int32) int64    { return pt.load[i] }
func earlier(pt *part, i int32) int64 { return -int64(pt.items[i].lo) }
func later(pt *part, i int32) int64   { return int64(pt.items[i].hi) }

// order is a named lexicographic order; ties keep the canonical order.
type order struct {
	name string
	keys []key
}

// ranks returns the place of each item of pt in the order.
func (o order) ranks(pt *part) []int32 {
	rank := make([]int32, len(pt.items))
	for place, i := range o.sorted(pt) {
		rank[i] = int32(place)
	}
	return rank
}

// sorted returns the items of pt in the order.
func (o order) sorted(pt *part) []int32 {
	ids := make([]int32, len(pt.items))
	values := make([][]int64, len(o.keys))
	for k, f := range o.keys {
		values[k] = make([]int64, len(ids))
		for i := range values[k] {
			values[k][i] = f(pt, int32(i))
		}
	}
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int {
		for _, v := range values {
			if c := cmp.Compare(v[b], v[a]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
	return ids
}

// weighted returns ranks for a search in which items of heavier cliques go first; rank decides
// among equals.
func weighted(pt *part, rank []int32, weights []int64) []int32 {
	heaviest := func(pt *part, i int32) int64 {
		w := int64(0)
		for c := pt.items[i].lo; c < pt.items[i].hi; c++ {
			w = max(w, weights[c])
		}
		return w
	}
	before := func(_ *part, i int32) int64 { return -int64(rank[i]) }
	return order{keys: []key{heaviest, before}}.ranks(pt)
}

// greedyOrders are tried one after the other, each with best fit and with first fit.
var greedyOrders = []order{
	{"size", []key{size, life}},
	{"life", []key{life, size}},
	{"area", []key{area, size}},
	{"load", []key{load, size, life}},
	{"load-life", []key{load, life, size}},
	{"load-area", []key{load, area}},
	{"time", []key{earlier, later, size}},
	{"end", []key{later, earlier, size}},
}

// searchOrders race in the exact search. They break ties between buffers that could be placed
// at the same offset, so each leads into another corner of the search first.
var searchOrders = []order{
	{"life-area-load", []key{life, area, load}},
	{"load-area-life", []key{load, area, life}},
	{"load-life-area", []key{load, life, area}},
	{"area-load-life", []key{area, load, life}},
	{"size-load-life", []key{size, load, life}},
	{"load-size-life", []key{load, size, life}},
}

func saturatingMul(a, b int64) int64 {
	if a > 0 && b > (1<<63-1)/a {
		return 1<<63 - 1
	}
	return a * b
}
