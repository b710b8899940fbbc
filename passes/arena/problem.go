package arena

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// item is a buffer as the solvers see it: space in grains, time in cliques.
type item struct {
	index       int   // position in the caller's slice
	lo, hi      int32 // cliques [lo, hi) that hold it; see setCliques
	size, align int64 // grains
	fixed       int64 // grains, or free
	width       int64 // length of life, in the caller's unit
}

// free marks an item whose offset is chosen by the planner.
const free = -1

// problem is a valid input in canonical order.
type problem struct {
	items   []item
	grain   uint64 // bytes
	cliques int    // number of maximal sets of buffers live at once, in time order
}

// ceiling bounds the sum of all sizes, alignments and fixed offsets, so that no sum of places
// and sizes overflows. It also stands for "no capacity".
const ceiling = math.MaxInt64 / 2

// newProblem validates bufs and brings them into an order that does not depend on the input's.
func newProblem(bufs []Buffer) (*problem, error) {
	if len(bufs) > math.MaxInt32/4 {
		return nil, fmt.Errorf("%d buffers: too many", len(bufs))
	}
	p := &problem{grain: grain(bufs), items: make([]item, len(bufs))}
	order := make([]int, len(bufs))
	room := uint64(ceiling)
	for i, b := range bufs {
		order[i] = i
		if err := valid(b); err != nil {
			return nil, fmt.Errorf("buffer %q: %w", b.Name, err)
		}
		sums := []uint64{b.Size, max(b.Align, 1), p.grain}
		if b.Fixed {
			sums = append(sums, b.Offset)
		}
		for _, n := range sums {
			if n > room {
				return nil, fmt.Errorf("buffer %q: sizes add up to more than %d bytes", b.Name, uint64(ceiling))
			}
			room -= n
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return canonical(bufs[i], bufs[j]) })
	for i, o := range order {
		b := bufs[o]
		it := item{index: o, fixed: free, width: width(b),
			size: int64(grains(b.Size, p.grain)), align: int64(max(b.Align, 1) / p.grain)}
		if b.Fixed {
			it.fixed = int64(b.Offset / p.grain)
		}
		p.items[i] = it
	}
	p.setCliques(bufs)
	return p, p.fixedApart(bufs)
}

// fixedApart reports two fixed buffers that collide.
func (p *problem) fixedApart(bufs []Buffer) error {
	var fixed []item
	for _, it := range p.items {
		if it.fixed != free && it.size > 0 {
			fixed = append(fixed, it)
		}
	}
	for i := range fixed {
		a := &fixed[i]
		for j := i + 1; j < len(fixed) && fixed[j].lo < a.hi; j++ {
			if b := &fixed[j]; a.fixed < b.fixed+b.size && b.fixed < a.fixed+a.size {
				return fmt.Errorf("%w: the fixed buffers %q and %q overlap while both are live",
					ErrNoFit, bufs[a.index].Name, bufs[b.index].Name)
			}
		}
	}
	return nil
}

func valid(b Buffer) error {
	switch {
	case b.Lower >= b.Upper:
		return fmt.Errorf("live interval [%d,%d) is empty, the end must come after the start", b.Lower, b.Upper)
	case b.Align&(b.Align-1) != 0:
		return fmt.Errorf("alignment %d is not a power of two", b.Align)
	case b.Fixed && b.Align > 1 && b.Offset%b.Align != 0:
		return fmt.Errorf("fixed offset %d is not a multiple of its alignment %d", b.Offset, b.Align)
	}
	return nil
}

// canonical orders buffers by what they need, then by name.
func canonical(a, b Buffer) int {
	fixed := func(b Buffer) uint64 {
		if b.Fixed {
			return b.Offset + 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.Lower, b.Lower), cmp.Compare(b.Upper, a.Upper), cmp.Compare(b.Size, a.Size),
		cmp.Compare(a.Align, b.Align), cmp.Compare(fixed(a), fixed(b)), cmp.Compare(a.Name, b.Name))
}

// width is the length of life, which may exceed an int64's range.
func width(b Buffer) int64 {
	return int64(min(uint64(b.Upper)-uint64(b.Lower), math.MaxInt64))
}

// setCliques numbers the maximal sets of buffers live at once, in time order, and gives each
// item the run of sets that hold it. Two items are live at the same time exactly if their runs
// share a set, and a sum of sizes is largest in one of the sets: time itself is not needed again.
func (p *problem) setCliques(bufs []Buffer) {
	n := len(p.items)
	events := make([]int, 0, 2*n) // i: item i starts; n+i: it ends
	at := func(e int) int64 {
		if e < n {
			return bufs[p.items[e].index].Lower
		}
		return bufs[p.items[e-n].index].Upper
	}
	for i := range p.items {
		events = append(events, i, n+i)
	}
	slices.SortFunc(events, func(a, b int) int {
		aStart, bStart := 0, 0
		if a < n {
			aStart = 1
		}
		if b < n {
			bStart = 1
		}
		return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(aStart, bStart), cmp.Compare(a, b))
	})
	grown := false // something started since the last set was closed
	for _, e := range events {
		if e < n {
			p.items[e].lo, grown = int32(p.cliques), true
			continue
		}
		if grown {
			p.cliques++
			grown = false
		}
		p.items[e-n].hi = int32(p.cliques)
	}
}

func (a *item) meets(b *item) bool { return a.lo < b.hi && b.lo < a.hi }

func alignUp(x, align int64) int64 { return (x + align - 1) &^ (align - 1) }
