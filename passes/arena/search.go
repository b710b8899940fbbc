package arena

import (
	"cmp"
	"slices"
)

// search looks for a placement of one part within a height, exhaustively. It follows the ideas
// of M. D. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated
// Machine Learning", ASPLOS 2023, doi 10.1145/3623278.3624752:
//
//   - Only canonical placements count: lowest in the sum of offsets, so that every item stands
//     on the arena's start, on another item or on its fixed offset. They are built from below,
//     in the order of offsets, so an item's place follows from those placed before.
//   - A clique whose lowest possible start plus what is still to be placed exceeds the height
//     ends the branch.
//   - An item that would start above the end of another one is not placed next: the other
//     would fit below it.
//   - Items that share no time with the rest are solved by themselves.
//
// To these it adds a consequence of a failure: once item i at its lowest place is refuted, it
// stands on an item that is still to be placed, which raises i and the cliques it is in.
type search struct {
	*state
	rank    []int32 // order of the items that could start at the same offset
	weights []int64 // per clique: how often it had no room
	tries   []try   // a stack: the open choices of all depths
	nodes   int64
	budget  int64
	stop    func() bool
	halted  bool // the budget ran out, or stop said so
}

// try is one choice: an item and its offset in grains.
type try struct {
	item int32
	at   int64
}

func (s *search) run() end {
	switch ok := s.solveParts(s.next[s.sentinel()], s.sentinel(), 0); {
	case ok:
		return foundOne
	case s.halted:
		return outOfNodes
	}
	return noneExists
}

// solveParts places the items [first, last) of the list, in stretches that share no time.
func (s *search) solveParts(first, last int32, floor int64) bool {
	for first != last {
		hi := s.items[first].hi
		to := s.next[first]
		for to != last && s.items[to].lo < hi {
			hi = max(hi, s.items[to].hi)
			to = s.next[to]
		}
		if !s.solve(first, to, hi, floor) {
			return false
		}
		first = to
	}
	return true
}

// solve places the items [first, last) of the list, which end at clique hi and share no time
// with other items of the list, at floor or higher. If it fails, it leaves all as it was.
func (s *search) solve(first, last, hi int32, floor int64) bool {
	if s.nodes++; s.nodes > s.budget || s.nodes%1024 == 0 && s.stop() {
		s.halted = true
		return false
	}
	base, before, lo := len(s.tries), s.mark(), s.items[first].lo
	if !s.fits(lo, hi, floor) || !s.choices(first, last, floor) {
		return false
	}
	for n := base; n < len(s.tries); n++ {
		t, here := s.tries[n], s.mark()
		from := first
		if from == t.item {
			from = s.next[from]
		}
		if s.put(t.item, t.at) && s.solveParts(from, last, t.at) {
			s.tries = s.tries[:base]
			return true
		}
		s.undo(here)
		if s.halted || !s.refute(t.item, t.at) || !s.fits(lo, hi, t.at) {
			break
		}
	}
	s.undo(before)
	s.tries = s.tries[:base]
	return false
}

// choices pushes the items that may come next, lowest first; it reports false if an item has
// no place at all.
func (s *search) choices(first, last int32, floor int64) bool {
	lowestEnd := s.height + 1
	for i := first; i != last; i = s.next[i] {
		it := &s.items[i]
		at := alignUp(max(s.lb[i], floor), it.align)
		if it.fixed != free && at > it.fixed || at > s.height-it.size {
			return false
		}
		lowestEnd = min(lowestEnd, at+it.size)
	}
	base := len(s.tries)
	for i := first; i != last; i = s.next[i] {
		if at := alignUp(max(s.lb[i], floor), s.items[i].align); at < lowestEnd {
			s.tries = append(s.tries, try{i, at})
		}
	}
	slices.SortFunc(s.tries[base:], func(a, b try) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(s.rank[a.item], s.rank[b.item]))
	})
	return true
}

// fits reports whether each clique of [lo, hi) has room for what is still to be placed in it.
func (s *search) fits(lo, hi int32, floor int64) bool {
	for c := lo; c < hi; c++ {
		if s.left[c] > 0 && max(s.floor[c], floor)+s.rem[c] > s.height {
			s.weights[c]++
			return false
		}
	}
	return true
}

// refute notes that nothing was found with item i at its lowest place, or below that. It
// reports false if that leaves no place at all.
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
