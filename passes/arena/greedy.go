package arena

// greedy places the items of pt one by one in the given order, each into a free gap among
// those placed before: the tightest one (best fit) or the lowest (first fit). Fixed items go
// first. It reports false when an item would end above limit.
func greedy(pt *part, order []int32, firstFit bool, limit int64) ([]int64, bool) {
	s := newShelf(pt)
	for _, fixed := range []bool{true, false} {
		for _, i := range order {
			it := &pt.items[i]
			if fixed != (it.fixed != free) {
				continue
			}
			at := it.fixed
			if !fixed {
				at = s.gap(it, firstFit)
			}
			if at > limit-it.size {
				return nil, false
			}
			s.put(i, at)
		}
	}
	return s.offsets, true
}

// gap returns the offset for it among the items placed.
func (s *shelf) gap(it *item, firstFit bool) int64 {
	best, tightest := int64(-1), int64(0)
	top := int64(0)
	for _, j := range s.near(it) {
		o := &s.items[j]
		if !it.meets(o) {
			continue
		}
		at, room := alignUp(top, it.align), s.offsets[j]-top
		if at+it.size <= s.offsets[j] && (best < 0 || room < tightest) {
			if best, tightest = at, room; firstFit {
				return best
			}
		}
		top = max(top, s.offsets[j]+o.size)
	}
	if best >= 0 {
		return best
	}
	return alignUp(top, it.align)
}
