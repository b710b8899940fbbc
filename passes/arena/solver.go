package arena

import (
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
	for _, pt := range parts {
		target = max(target, pt.bound)
	}
	if target > s.capacity {
		return fmt.Errorf("%w in %d bytes: %d are live at once", ErrNoFit,
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

// place returns a placement of pt no higher than target. If there is none, or none is found,
// it fails when a capacity is given and otherwise returns the lowest placement found and
// whether it is proved that there is no lower one.
func (s *solver) place(ctx context.Context, pt *part, target int64) (best placement, proved bool, err error) {
	best.height = s.capacity
	for _, o := range greedyOrders {
		ids := o.sorted(pt)
		for _, fit := range []string{"best", "first"} {
			if err := ctx.Err(); err != nil {
				return best, false, err
			}
			offsets, ok := greedy(pt, ids, fit == "first", best.height-1)
			if !ok {
				continue
			}
			best = placement{offsets, pt.height(offsets), o.name + ", " + fit + " fit", 0}
			if best.height <= target {
				return best, true, nil
			}
		}
	}
	r := race{pt: pt, nodes: s.opt.Nodes, workers: s.opt.Workers}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	if s.opt.Capacity > 0 {
		if r.nodes <= 0 {
			r.nodes = 1 << 26
		}
		found, end, err := r.run(ctx, target)
		switch {
		case err != nil:
			return best, false, err
		case end == foundOne:
			return found, false, nil
		case end == noneExists:
			return best, true, fmt.Errorf("%w in %d bytes", ErrNoFit, s.opt.Capacity)
		}
		return best, false, fmt.Errorf("%w: %d buffers in %d bytes", ErrGaveUp, len(pt.items), s.opt.Capacity)
	}
	if r.nodes <= 0 {
		r.nodes = 1 << 16
	}
	return r.lowest(ctx, best, target)
}
