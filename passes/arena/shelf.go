package arena

import "slices"

// shelfStep is half of a window's width in cliques. Most lives in a plan are a few steps long
// and need one window only.
const shelfStep = 16

// shelf holds placed items, sorted by offset, once for all time and once for each of many
// windows of time that overlap by half: window w covers the cliques from w*shelfStep on,
// 2*shelfStep of them.
type shelf struct {
	items   []item
	offsets []int64
	all     []int32
	windows [][]int32
}

func newShelf(pt *part) *shelf {
	return &shelf{items: pt.items, offsets: make([]int64, len(pt.items)), windows: make([][]int32, pt.cliques/shelfStep+1)}
}

// near returns placed items by offset, among them all that are live together with it.
func (s *shelf) near(it *item) []int32 {
	if w := it.lo / shelfStep; it.hi <= (w+2)*shelfStep {
		return s.windows[w]
	}
	return s.all
}

// put adds item i at the given offset.
func (s *shelf) put(i int32, at int64) {
	it := &s.items[i]
	s.offsets[i] = at
	s.all = s.insert(s.all, i)
	for w := max(0, it.lo/shelfStep-1); w <= (it.hi-1)/shelfStep; w++ {
		s.windows[w] = s.insert(s.windows[w], i)
	}
}

func (s *shelf) insert(list []int32, i int32) []int32 {
	n, _ := slices.BinarySearchFunc(list, s.offsets[i], func(j int32, at int64) int {
		if s.offsets[j] < at {
			return -1
		}
		return 1
	})
	return slices.Insert(list, n, i)
}
