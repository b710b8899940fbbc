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
)

// firstNodes is the least budget of a first try. Searches of this kind either end soon or get lost
// among choices that have nothing to do with the failure, so many short tries beat a long one.
const firstNodes = 500

// race runs the search orders on one part, in rounds: in each round every order makes one more
// try. The first order of the table that decides a round wins, however long the others take,
// so the result does not depend on timing.
type race struct {
	pt      *part
	workers int
	shared  *neighbours
}

// run looks for a placement no higher than height; each order may visit that many nodes.
func (r *race) run(ctx context.Context, height, nodes int64) (placement, end, error) {
	runners := make([]*runner, len(searchOrders))
	for i, o := range searchOrders {
		runners[i] = &runner{order: o, ranks: o.ranks(r.pt), weights: make([]int64, r.pt.cliques)}
	}
	left := nodes
	for n := int64(1); left > 0; n++ {
		budget := min(left, max(firstNodes, 2*int64(len(r.pt.items)))*luby(n))
		left -= budget
		w := r.round(ctx, runners, height, budget)
		if err := ctx.Err(); err != nil {
			return placement{}, outOfNodes, err
		}
		if w < 0 {
			continue
		}
		won := runners[w]
		return placement{won.offsets, r.pt.height(won.offsets), won.order.name, won.nodes}, won.end, nil
	}
	return placement{}, outOfNodes, nil
}

// round gives every runner one try and returns the first that decided, or -1.
func (r *race) round(ctx context.Context, runners []*runner, height, budget int64) int {
	var next, winner atomic.Int64 // winner: the first runner known to have decided
	winner.Store(int64(len(runners)))
	var wg sync.WaitGroup
	for range min(r.workers, len(runners)) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(len(runners)) || winner.Load() < i {
					return
				}
				stop := func() bool { return ctx.Err() != nil || winner.Load() < i }
				if runners[i].try(r, height, budget, stop) == outOfNodes {
					continue
				}
				for w := winner.Load(); i < w && !winner.CompareAndSwap(w, i); w = winner.Load() {
				}
			}
		})
	}
	wg.Wait()
	if w := winner.Load(); w < int64(len(runners)) {
		return int(w)
	}
	return -1
}

// lowest returns the lowest placement that it finds between target and best, by bisection,
// and whether it is proved that no lower one exists. The target may use half of the nodes,
// each further height a quarter of the rest.
func (r *race) lowest(ctx context.Context, best placement, target, nodes int64) (placement, bool, error) {
	low, proved := target, true // every height below low is out of reach
	budget := nodes / 2
	for height := target; low < best.height; height = low + (best.height-low)/2 {
		if budget < firstNodes {
			return best, false, nil
		}
		p, e, err := r.run(ctx, height, budget)
		if err != nil {
			return best, false, err
		}
		if e == foundOne {
			best = p
		} else {
			low, proved = height+1, proved && e == noneExists
		}
		nodes -= budget
		budget = nodes / 4
	}
	return best, proved, nil
}

// runner is one order's chain of tries. A try that fails leaves weights on the cliques that
// had no room; items of heavy cliques go first in the next try.
type runner struct {
	order   order
	ranks   []int32
	weights []int64 // per clique
	offsets []int64
	end     end
	nodes   int64
}

func (u *runner) try(r *race, height, budget int64, stop func() bool) end {
	s := search{state: newState(r.pt, r.shared, height), budget: budget, stop: stop,
		rank: weighted(r.pt, u.ranks, u.weights), weights: u.weights}
	u.end = s.run()
	u.nodes += s.nodes
	u.offsets = s.offsets
	for c := range u.weights {
		u.weights[c] = u.weights[c] * 3 / 4 // forget slowly
	}
	return u.end
}

// luby returns the n-th term, from 1, of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: budgets that lose
// at most a logarithmic factor against the best fixed one (Luby, Sinclair, Zuckerman 1993,
// doi 10.1016/0020-0190(93)90029-9).
func luby(n int64) int64 {
	for {
		k := int64(1)
		for k < n {
			k = 2*k + 1
		}
		if k == n {
			return (k + 1) / 2
		}
		n -= k / 2
	}
}
