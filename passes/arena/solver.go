package arena

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
)

// solver places the parts of one problem.
type solver struct {
	problem  *problem
	opt      Options
	capacity int64 // grains
	offsets  []int64
	optimal  bool
	stats    Stats
}

// placement is the best that is known for one part.
type placement struct {
	offsets []int64
	height  int64
	order   string
	nodes   int64
}

func (s *solver) solve(ctx context.Context) error {
	parts := s.problem.parts()
	s.offsets = make([]int64, len(s.problem.items))
	s.stats.Parts, s.optimal = len(parts), true
	// A part need not be lower than the bound of any other: target is what each must reach.
	target := int64(0)
	for i, it := range s.problem.items {
		if it.size == 0 && it.fixed != free { // in no part, but within the arena
			s.offsets[i] = it.fixed
			target = max(target, it.fixed)
		}
	}
	for _, pt := range parts {
		target = max(target, pt.bound)
	}
	if target > s.capacity {
		return fmt.Errorf("%w in %d bytes: at least %d are needed", ErrNoFit,
			s.opt.Capacity, uint64(target)*s.problem.grain)
	}
	lowest := target
	if s.opt.Capacity > 0 {
		target = s.capacity
	}
	height, most := int64(0), int64(-1)
	for _, pt := range parts {
		best, proved, err := s.place(ctx, pt, target)
		if err != nil {
			return err
		}
		if best.height > target { // minimising: the other parts may be as high now
			target, s.optimal = best.height, s.optimal && proved
		}
		height = max(height, best.height)
		for i, id := range pt.ids {
			s.offsets[id] = best.offsets[i]
		}
		if work := best.nodes + int64(len(pt.items)); work > most {
			most, s.stats.Order = work, best.order
		}
		s.stats.Nodes += best.nodes
	}
	if s.opt.Capacity > 0 {
		s.optimal = height <= lowest
	}
	return nil
}

// maxPairs bounds the memory of a search, which lists the pairs of items live together: 4 bytes
// for each of the two. A plan of 2,000 buffers has about 10,000 pairs.
const maxPairs = 1 << 24

// place returns a placement of pt no higher than target. If it finds none, it fails when a
// capacity is given; otherwise it returns the lowest that it found and whether it is proved
// that there is no lower one.
func (s *solver) place(ctx context.Context, pt *part, target int64) (best placement, proved bool, err error) {
	best.height = s.capacity + 1
	for _, o := range greedyOrders {
		if err := ctx.Err(); err != nil {
			return best, false, err
		}
		ids := o.sorted(pt)
		for _, fit := range []string{"best fit", "first fit"} {
			offsets, ok := greedy(pt, ids, fit == "first fit", best.height-1)
			if !ok {
				continue
			}
			best = placement{offsets, pt.height(offsets), o.name + ", " + fit, 0}
			if best.height <= target {
				return best, true, nil
			}
		}
	}
	if pt.pairs() > maxPairs {
		if s.opt.Capacity > 0 {
			return best, false, fmt.Errorf("%w: %d buffers with too many pairs live together", ErrGaveUp, len(pt.items))
		}
		return best, false, nil
	}
	r := race{pt: pt, shared: newNeighbours(pt), workers: s.opt.Workers}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	if s.opt.Capacity > 0 {
		best, err = s.fit(ctx, &r)
		return best, false, err
	}
	return r.lowest(ctx, best, target, cmp.Or(s.opt.Nodes, 1<<15))
}

// fit returns a placement within the capacity.
func (s *solver) fit(ctx context.Context, r *race) (placement, error) {
	p, end, err := r.run(ctx, s.capacity, cmp.Or(s.opt.Nodes, 1<<26))
	switch {
	case err != nil:
		return p, err
	case end == noneExists:
		return p, fmt.Errorf("%w in %d bytes, %d are live at once", ErrNoFit, s.opt.Capacity, uint64(r.pt.bound)*s.problem.grain)
	case end == outOfNodes:
		return p, fmt.Errorf("%w: no placement found for %d buffers in %d bytes", ErrGaveUp, len(r.pt.items), s.opt.Capacity)
	}
	return p, nil
}
