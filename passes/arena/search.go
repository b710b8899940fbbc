package arena

import (
	"cmp"
	"slices"
)

// neighbours holds what all searches of one part share.
type neighbours struct {
	meet    [][]int32 // per item: the items live with it at some time
	members [][]int32 // per clique: its items
}

func newNeighbours(pt *part) *neighbours {
	n := &neighbours{meet: make([][]int32, len(pt.items)), members: make([][]int32, pt.cliques)}
	for i, it := range pt.items {
		for j := range pt.items {
			if i != j && it.meets(&pt.items[j]) {
				n.meet[i] = append(n.meet[i], int32(j))
			}
		}
		for c := it.lo; c < it.hi; c++ {
			n.members[c] = append(n.members[c], int32(i))
		}
	}
	return n
}

// search looks for a placement of a part within a height, exhaustively.
type search struct {
	*neighbours
	items   []item
	height  int64
	rank    []int32 // place of each item in the order
	offsets []int64
	placed  []bool
	lb      []int64 // per item not placed: no placement of the rest puts it lower
	rem     []int64 // per clique: sizes not placed
	left    []int32 // per clique: items not placed
	floor   []int64 // per clique: the smallest lb of an item not placed
	low     []int32 // per clique: an item that has it
	trail   []change
	levels  []level
	nodes   int64
	budget  int64
	stop    func() bool
	weights []int64 // per clique: how often it had no room
	halted  bool
}

// change is one entry of the undo list: an item's lb, or a clique's floor and low.
type change struct {
	item, clique int32 // item < 0: a clique's entry
	value        int64
	low          int32
}

// level is the scratch of one depth.
type level struct {
	tries []try
	rest  []int32
}

type try struct {
	item int32
	at   int64
}

func newSearch(pt *part, n *neighbours, height, budget int64) *search {
	s := &search{
		neighbours: n, items: pt.items, height: height, budget: budget,
		offsets: make([]int64, len(pt.items)), placed: make([]bool, len(pt.items)), lb: make([]int64, len(pt.items)),
		rem: slices.Clone(pt.sum), left: make([]int32, pt.cliques), floor: make([]int64, pt.cliques), low: make([]int32, pt.cliques),
		levels: make([]level, len(pt.items)+1),
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

func (s *search) run() end {
	all := make([]int32, len(s.items))
	for i := range all {
		all[i] = int32(i)
	}
	switch ok := s.solve(all, 0, 0); {
	case ok:
		return foundOne
	case s.halted:
		return outOfNodes
	}
	return noneExists
}

// solve places the items of list, which are sorted by start of life and share time with no
// other item that is not placed, at floor or higher.
func (s *search) solve(list []int32, floor int64, depth int) bool {
	if s.nodes++; s.nodes > s.budget || s.nodes%1024 == 0 && s.stop() {
		s.halted = true
		return false
	}
	if !s.fits(list, floor) {
		return false
	}
	if depth > dbgMax {
		dbgMax = depth
	}
	dbgDepth[depth]++
	l := &s.levels[depth]
	if !s.candidates(l, list, floor) {
		return false
	}
	mark := len(s.trail)
	for n := 0; n < len(l.tries); n++ {
		t := l.tries[n]
		l.rest = l.rest[:0]
		for _, i := range list {
			if i != t.item {
				l.rest = append(l.rest, i)
			}
		}
		inner := len(s.trail)
		if s.put(t.item, t.at) && s.solveParts(l.rest, t.at, depth+1) {
			return true
		}
		s.undo(inner)
		s.take(t.item)
		for _, i := range l.rest { // a stretch that was solved before another failed
			if s.placed[i] {
				s.take(i)
			}
		}
		if s.halted {
			return false
		}
		if !s.refute(t.item, t.at) || !s.fits(list, t.at) {
			break
		}
	}
	s.undo(mark)
	return false
}

// solveParts solves each stretch of list that shares no time with the others.
func (s *search) solveParts(list []int32, floor int64, depth int) bool {
	for from := 0; from < len(list); {
		to, end := from, s.items[list[from]].hi
		for to < len(list) && s.items[list[to]].lo < end {
			end = max(end, s.items[list[to]].hi)
			to++
		}
		if !s.solve(list[from:to], floor, depth) {
			return false
		}
		from = to
	}
	return true
}

// candidates lists the items that may come next, lowest first. An item that would start above
// the end of another is none: the other would fit below it.
func (s *search) candidates(l *level, list []int32, floor int64) bool {
	l.tries = l.tries[:0]
	lowestEnd := s.height + 1
	for _, i := range list {
		it := &s.items[i]
		at := alignUp(max(s.lb[i], floor), it.align)
		if it.fixed != free && at > it.fixed || at+it.size > s.height {
			return false
		}
		lowestEnd = min(lowestEnd, at+it.size)
		l.tries = append(l.tries, try{i, at})
	}
	l.tries = slices.DeleteFunc(l.tries, func(t try) bool { return t.at >= lowestEnd })
	slices.SortFunc(l.tries, func(a, b try) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(s.rank[a.item], s.rank[b.item]))
	})
	return true
}

// fits reports whether each clique of list has room for what is not placed in it.
func (s *search) fits(list []int32, floor int64) bool {
	end := int32(0)
	for _, i := range list {
		end = max(end, s.items[i].hi)
	}
	for c := s.items[list[0]].lo; c < end; c++ {
		if s.left[c] > 0 && max(s.floor[c], floor)+s.rem[c] > s.height {
			s.weights[c]++
			return false
		}
	}
	return true
}

// put places an item and raises the items above it; it reports false if one of them no longer
// fits.
func (s *search) put(i int32, at int64) bool {
	it := &s.items[i]
	s.offsets[i], s.placed[i] = at, true
	for c := it.lo; c < it.hi; c++ {
		s.rem[c] -= it.size
		s.left[c]--
	}
	from, to := it.lo, it.hi
	for _, j := range s.meet[i] {
		if o := &s.items[j]; !s.placed[j] && s.lb[j] < at+it.size {
			if !s.raise(j, at+it.size) {
				return false
			}
			from, to = min(from, o.lo), max(to, o.hi)
		}
	}
	s.refloors(from, to)
	return true
}

// take is the reverse of put, except for what undo restores.
func (s *search) take(i int32) {
	it := &s.items[i]
	s.placed[i] = false
	for c := it.lo; c < it.hi; c++ {
		s.rem[c] += it.size
		s.left[c]++
	}
}

// refute notes that nothing was found with item i at its lowest place: it must then stand on
// an item that is not placed yet. It reports false if there is none, or no room.
func (s *search) refute(i int32, at int64) bool {
	it := &s.items[i]
	if it.fixed != free {
		return false
	}
	lb := s.height + 1
	for _, j := range s.meet[i] {
		if !s.placed[j] {
			lb = min(lb, max(s.lb[j], at)+s.items[j].size)
		}
	}
	if !s.raise(i, lb) {
		return false
	}
	s.refloors(it.lo, it.hi)
	return true
}

func (s *search) raise(i int32, lb int64) bool {
	it := &s.items[i]
	s.trail = append(s.trail, change{item: i, value: s.lb[i]})
	s.lb[i] = max(s.lb[i], alignUp(lb, it.align))
	return s.lb[i]+it.size <= s.height && (it.fixed == free || s.lb[i] <= it.fixed)
}

// refloors brings the floors of cliques [from, to) up to date.
func (s *search) refloors(from, to int32) {
	for c := from; c < to; c++ {
		if w := s.low[c]; s.left[c] > 0 && (s.placed[w] || s.lb[w] != s.floor[c]) {
			s.trail = append(s.trail, change{item: -1, clique: c, value: s.floor[c], low: w})
			s.refloor(c)
		}
	}
}

func (s *search) refloor(c int32) {
	s.floor[c] = s.height + 1
	for _, j := range s.members[c] {
		if !s.placed[j] && s.lb[j] < s.floor[c] {
			s.floor[c], s.low[c] = s.lb[j], j
		}
	}
}

func (s *search) undo(mark int) {
	for n := len(s.trail) - 1; n >= mark; n-- {
		if ch := s.trail[n]; ch.item >= 0 {
			s.lb[ch.item] = ch.value
		} else {
			s.floor[ch.clique], s.low[ch.clique] = ch.value, ch.low
		}
	}
	s.trail = s.trail[:mark]
}

var dbgMax int
var dbgHist map[int32]int
var dbgDepth = make([]int, 1000)
