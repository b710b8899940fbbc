package ptx

import (
	"cmp"
	"slices"
)

// Joins returns, by block, where the lanes that part at its end meet again: the immediate
// postdominator over the paths that end at the block's main exit, len(Blocks) where there is
// none. The main exit is, of those that can be reached from the block, the one that most blocks
// lead to. Lanes that leave by another exit meet nobody again, so an early return does not keep
// the others apart; a kernel made of parts has a main exit in each.
func (f *Flow) Joins() []int {
	n := len(f.Blocks)
	back := make([][]int, n) // predecessors
	var exits []int
	for b := range f.Blocks {
		for _, s := range f.Blocks[b].Succ {
			if s < n {
				back[s] = append(back[s], b)
			} else {
				exits = append(exits, b)
			}
		}
	}
	exits = slices.Compact(exits)
	leads := make(map[int][]int, len(exits)) // to the exit
	for _, x := range exits {
		leads[x] = reversePostorder(back, x)
	}
	slices.SortStableFunc(exits, func(x, y int) int {
		return cmp.Or(cmp.Compare(len(leads[y]), len(leads[x])), cmp.Compare(y, x))
	})
	joins := make([]int, n)
	for b := range joins {
		joins[b] = -1
	}
	for _, x := range exits {
		var idom []int
		for _, b := range leads[x] {
			if joins[b] >= 0 {
				continue // it has a larger exit
			}
			if idom == nil {
				idom = f.toExit(x)
			}
			joins[b] = idom[b]
		}
	}
	for b := range joins {
		if joins[b] < 0 { // an endless loop
			joins[b] = n
		}
	}
	return joins
}

// toExit returns the immediate postdominators over the paths that end at one exit.
func (f *Flow) toExit(exit int) []int {
	n := len(f.Blocks)
	cut := make([][]int, n+1)
	pred := make([][]int, n+1)
	for b := range f.Blocks {
		for _, s := range f.Blocks[b].Succ {
			if s < n || b == exit {
				cut[b] = append(cut[b], s)
				pred[s] = append(pred[s], b)
			}
		}
	}
	return dominators(pred, cut, reversePostorder(pred, n), n)
}
