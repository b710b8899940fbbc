package arena

import "slices"

// greedy places the items of pt one by one in the given order, each into a free gap among
// those placed before: the tightest one (best fit) or the lowest (first fit). Fixed items go
// first. It reports false when an item would end above limit.
func greedy(pt *part, order []int32, firstFit bool, limit int64) ([]int64, bool) {
	offsets := make([]int64, len(pt.items))
	placed := make([]int32, 0, len(order)) // by offset
	put := func(i int32, at int64) bool {
		if at > limit-pt.items[i].size {
			return false
		}
		offsets[i] = at
		n, _ := slices.BinarySearchFunc(placed, at, func(j int32, at int64) int {
			if offsets[j] < at {
				return -1
			}
			return 1
		})
		placed = slices.Insert(placed, n, i)
		return true
	}
	for _, i := range order {
		it := &pt.items[i]
		if it.fixed == free {
			continue
		}
		if !put(i, it.fixed) {
			return nil, false
		}
	}
	for _, i := range order {
		if pt.items[i].fixed == free && !put(i, gap(pt, &pt.items[i], placed, offsets, firstFit)) {
			return nil, false
		}
	}
	return offsets, true
}

// gap returns the offset for it among the placed items, which are sorted by offset.
func gap(pt *part, it *item, placed []int32, offsets []int64, firstFit bool) int64 {
	best, tightest := int64(-1), int64(0)
	top := int64(0)
	for _, j := range placed {
		o := &pt.items[j]
		if !it.meets(o) {
			continue
		}
		at, room := alignUp(top, it.align), offsets[j]-top
		if at+it.size <= offsets[j] && (best < 0 || room < tightest) {
			if best, tightest = at, room; firstFit {
				return best
			}
		}
		top = max(top, offsets[j]+o.size)
	}
	if best >= 0 {
		return best
	}
	return alignUp(top, it.align)
}
