package arena

import "slices"

// neighbours holds what all searches of one part share.
type neighbours struct {
	meet    [][]int32 // per item: the items live with it at some time
	members [][]int32 // per clique: its items
}

func newNeighbours(pt *part) *neighbours {
	n := &neighbours{meet: make([][]int32, len(pt.items)), members: make([][]int32, pt.cliques)}
	for i := range pt.items { // sorted by lo
		it := &pt.items[i]
		for j := i + 1; j < len(pt.items) && pt.items[j].lo < it.hi; j++ {
			n.meet[i] = append(n.meet[i], int32(j))
			n.meet[j] = append(n.meet[j], int32(i))
		}
		for c := it.lo; c < it.hi; c++ {
			n.members[c] = append(n.members[c], int32(i))
		}
	}
	return n
}

// state is a placement of some items, what follows for the others, and how to go back.
type state struct {
	*neighbours
	items   []item
	height  int64 // grains
	offsets []int64
	placed  []bool
	lb      []int64 // per item not placed: no placement of the rest puts it lower
	rem     []int64 // per clique: sizes not placed
	left    []int32 // per clique: items not placed
	floor   []int64 // per clique: the smallest lb of an item not placed
	lowest  []int32 // per clique: an item that has it
	next    []int32 // ring of the items not placed, by start of life; the last is the sentinel
	prev    []int32
	taken   []int32  // items placed, in that order
	trail   []change // values overwritten, in that order
}

// change is an overwritten value: an item's lb, or, with item < 0, a clique's floor.
type change struct {
	item, clique, lowest int32
	value                int64
}

// mark is a moment to go back to.
type mark struct{ taken, trail int }

func newState(pt *part, n *neighbours, height int64) *state {
	items := len(pt.items)
	s := &state{
		neighbours: n, items: pt.items, height: height,
		offsets: make([]int64, items), placed: make([]bool, items), lb: make([]int64, items),
		rem: slices.Clone(pt.sum), left: make([]int32, pt.cliques),
		floor: make([]int64, pt.cliques), lowest: make([]int32, pt.cliques),
		next: make([]int32, items+1), prev: make([]int32, items+1),
	}
	for i := range s.next {
		s.next[i] = int32((i + 1) % len(s.next))
		s.prev[s.next[i]] = int32(i)
	}
	for i, it := range pt.items {
		if it.fixed != free {
			s.lb[i] = it.fixed
		}
	}
	for c, m := range n.members {
		s.left[c] = int32(len(m))
		s.refloor(int32(c))
	}
	return s
}

func (s *state) sentinel() int32 { return int32(len(s.items)) }

func (s *state) mark() mark { return mark{len(s.taken), len(s.trail)} }

// put places an item and raises those that now stand on it; it reports false if one of them
// no longer fits.
func (s *state) put(i int32, at int64) bool {
	it := &s.items[i]
	s.offsets[i], s.placed[i] = at, true
	s.taken = append(s.taken, i)
	s.next[s.prev[i]], s.prev[s.next[i]] = s.next[i], s.prev[i]
	for c := it.lo; c < it.hi; c++ {
		s.rem[c] -= it.size
		s.left[c]--
	}
	from, to := it.lo, it.hi
	for _, j := range s.meet[i] {
		if s.placed[j] || s.lb[j] >= at+it.size {
			continue
		}
		if !s.raise(j, at+it.size) {
			return false
		}
		from, to = min(from, s.items[j].lo), max(to, s.items[j].hi)
	}
	s.refloors(from, to)
	return true
}

// raise sets the lower bound of an item; it reports false if the item no longer fits.
func (s *state) raise(i int32, lb int64) bool {
	it := &s.items[i]
	s.trail = append(s.trail, change{item: i, value: s.lb[i]})
	s.lb[i] = max(s.lb[i], alignUp(lb, it.align))
	return s.lb[i] <= s.height-it.size && (it.fixed == free || s.lb[i] <= it.fixed)
}

// refloors brings the floors of cliques [from, to) up to date after lower bounds have risen.
func (s *state) refloors(from, to int32) {
	for c := from; c < to; c++ {
		if w := s.lowest[c]; s.left[c] > 0 && (s.placed[w] || s.lb[w] != s.floor[c]) {
			s.trail = append(s.trail, change{item: -1, clique: c, lowest: w, value: s.floor[c]})
			s.refloor(c)
		}
	}
}

func (s *state) refloor(c int32) {
	s.floor[c] = s.height + 1
	for _, j := range s.members[c] {
		if !s.placed[j] && s.lb[j] < s.floor[c] {
			s.floor[c], s.lowest[c] = s.lb[j], j
		}
	}
}

// undo goes back to a mark.
func (s *state) undo(m mark) {
	for n := len(s.trail) - 1; n >= m.trail; n-- {
		if ch := s.trail[n]; ch.item >= 0 {
			s.lb[ch.item] = ch.value
		} else {
			s.floor[ch.clique], s.lowest[ch.clique] = ch.value, ch.lowest
		}
	}
	s.trail = s.trail[:m.trail]
	for n := len(s.taken) - 1; n >= m.taken; n-- {
		i := s.taken[n]
		s.placed[i] = false
		s.next[s.prev[i]], s.prev[s.next[i]] = i, i
		for c := s.items[i].lo; c < s.items[i].hi; c++ {
			s.rem[c] += s.items[i].size
			s.left[c]++
		}
	}
	s.taken = s.taken[:m.taken]
}
