package host

import "dsac/runtime/ref"

// experts multiplies the row of x of every live token-slot pair with the weight of the pair's
// expert. Pairs are grouped by expert, in token order, so that a weight row is decoded once
// for all tokens of a tile that chose its expert.
func (e *engine) experts(c *ref.Call, weight, second, idx, out *ref.Arg) {
	p, x := &e.prod, &c.Args[0]
	p.begin(x, weight, second, nil, out)
	slots, count := idx.Width, weight.Shape[0]
	perSlot := len(x.Shape) > 2
	step := max(1, p.tileRows()/slots)
	starts := e.pool.workers[0].work.I32(0, count+1)
	for t0 := 0; t0 < c.N; t0 += step {
		t1 := min(t0+step, c.N)
		pairs := idx.I32[t0*slots : t1*slots]
		clear(starts)
		for _, id := range pairs {
			starts[id+1]++
		}
		p.reset()
		p.reserve(len(pairs), count)
		p.bins(starts, len(pairs))
		for i, id := range pairs {
			pair := t0*slots + i
			src := pair
			if !perSlot {
				src = pair / slots
			}
			p.place(&starts[id], src, pair)
		}
		p.run(e, c)
	}
}

// bins, after reserve, opens a group for every expert with a count, and turns counts[id+1] into the first row
// of expert id in counts[id].
func (p *product) bins(counts []int32, pairs int) {
	p.src, p.dst = p.src[:pairs], p.dst[:pairs]
	for id := range len(counts) - 1 {
		first, n := int(counts[id]), int(counts[id+1])
		if n > 0 {
			p.groups = append(p.groups, rowGroup{id: id, first: first, count: n})
		}
		counts[id+1] += counts[id]
	}
}

// place puts a pair at *at and moves it on.
func (p *product) place(at *int32, src, dst int) {
	p.src[*at], p.dst[*at] = int32(src), int32(dst)
	*at++
}
