// Package tags runs a plan on symbols instead of numbers: every step hashes its op, its
// attributes and the tags of the bytes that it reads into tags of the bytes that it writes.
// Two plans whose results carry equal tags compute the same; it is the judge of the mutation
// campaign. It is written apart from the lint so that the two can disagree: it must not import
// passes/lint.
//
// A byte's value is a tag and the byte's offset in what the tag stands for. Undefined bytes
// have the tag of their address. What is modelled: streams and events (random orders that the
// edges allow), launches that start early, state and control buffer over two steps, aliasing
// inside one op against its contract. What is not: numerics, kernels, ranks that differ.
package tags

import (
	"math/rand/v2"

	"dsac/runtime/plan"
)

// Options bound the work.
type Options struct {
	Orders int    // random orders per point; 0 = 20. A plan whose steps are totally ordered has one
	Seed   uint64 // of the orders
}

// Digest stands for all results of one entry: one number per point, order and step. The orders
// of a sound plan agree, so that each point has one number per step.
type Digest []uint64

// Entry runs entry e of p at a few points, two steps each, in random orders. The steps of a
// point agree over orders or the digest holds a zero, which no result has: the plan races.
func Entry(p *plan.Plan, e int, opt Options) Digest {
	if opt.Orders == 0 {
		opt.Orders = 20
	}
	g := newGraph(p, &p.Entries[e])
	rng := rand.New(rand.NewPCG(opt.Seed, uint64(e)))
	orders := [][]int32{g.listed()}
	for i := 1; i < opt.Orders && !g.total; i++ {
		orders = append(orders, g.random(rng, i%2 == 0))
	}
	shared := newFacts(p, e)
	var out Digest
	for _, pt := range points(p, &p.Entries[e]) {
		var first [2]uint64
		for i, o := range orders {
			got := shared.run(pt, o)
			if i == 0 {
				first = got
			}
			for s := range got {
				if got[s] != first[s] {
					first[s] = 0
				}
			}
		}
		out = append(out, first[:]...)
	}
	return out
}

// Equal says whether two digests stand for the same results and none of them races.
func Equal(a, b Digest) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] || a[i] == 0 {
			return false
		}
	}
	return true
}
