package arena

import (
	"context"
	"sync"
	"sync/atomic"
)

// end is how a search ended.
type end int

const (
	outOfNodes end = iota
	foundOne
	noneExists
	stopped
)

// race runs the search orders on one part, in rounds: in each round every order starts anew
// with a budget four times the last one's. The first order of the table that succeeds in a
// round wins, however long the others take, so the result does not depend on timing.
type race struct {
	pt      *part
	nodes   int64 // the largest budget
	workers int
	shared  *neighbours
}

// run looks for a placement no higher than height.
func (r *race) run(ctx context.Context, height int64) (placement, end, error) {
	if r.shared == nil {
		r.shared = newNeighbours(r.pt)
	}
	for budget := min(r.nodes, 1<<12); ; budget = min(r.nodes, budget*4) {
		p, e, err := r.round(ctx, height, budget)
		if err != nil || e != outOfNodes || budget == r.nodes {
			return p, e, err
		}
	}
}

func (r *race) round(ctx context.Context, height, budget int64) (placement, end, error) {
	n := len(searchOrders)
	searches := make([]*search, n)
	ends := make([]end, n)
	var winner, next atomic.Int64 // winner: the first order known to decide the round
	winner.Store(int64(n))
	var wg sync.WaitGroup
	for range min(r.workers, n) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(n) || winner.Load() < i {
					return
				}
				s := newSearch(r.pt, r.shared, searchOrders[i].ranks(r.pt), height, budget)
				s.stop = func() bool { return ctx.Err() != nil || winner.Load() < i }
				searches[i], ends[i] = s, s.run()
				if ends[i] != foundOne && ends[i] != noneExists {
					continue
				}
				for w := winner.Load(); i < w && !winner.CompareAndSwap(w, i); w = winner.Load() {
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return placement{}, stopped, err
	}
	w := winner.Load()
	if w == int64(n) {
		return placement{}, outOfNodes, nil
	}
	s := searches[w]
	return placement{s.offsets, r.pt.height(s.offsets), searchOrders[w].name, s.nodes}, ends[w], nil
}

// lowest returns the lowest placement that it finds between target and best, by bisection,
// and whether it is proved that no lower one exists.
func (r *race) lowest(ctx context.Context, best placement, target int64) (placement, bool, error) {
	low, proved := target, true // every height below low is out of reach
	for height := target; best.offsets == nil || low < best.height; height = low + (best.height-low)/2 {
		p, e, err := r.run(ctx, height)
		if err != nil {
			return best, false, err
		}
		if e == foundOne {
			best = p
			continue
		}
		low, proved = height+1, proved && e == noneExists
	}
	return best, proved, nil
}
