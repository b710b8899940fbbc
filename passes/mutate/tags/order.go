package tags

import (
	"math/rand/v2"

	"dsac/runtime/plan"
)

// node is one execution of a step.
type node struct {
	step   int32
	stream plan.Str
	next   []int32 // nodes that wait for it
	needs  int32   // how many it waits for
}

// graph is the partial order of an entry's executions: edges of streams and of events.
type graph struct {
	nodes []node
	total bool // the edges leave one order only
}

// newGraph makes the edges. Every node waits for the last one of its stream, unless it starts
// early; then for what that one waited for. A wait takes the edges of the record's stream.
func newGraph(p *plan.Plan, e *plan.Entry) *graph {
	g := &graph{}
	heads := map[plan.Str][]int32{}  // what the next node of a stream must wait for
	before := map[plan.Str][]int32{} // what its last node waited for
	waited := map[plan.Str][]int32{} // what waits since then brought
	events := map[plan.Str][]int32{}
	streams := map[plan.Str]bool{}
	early := false
	for _, it := range p.EntryItems(e) {
		switch it.Kind {
		case plan.DoStep:
			s := &p.Steps[it.Index]
			n := int32(len(g.nodes))
			streams[s.Stream] = true
			from := heads[s.Stream]
			skips := s.Flags&plan.PDL != 0 && s.Flags&plan.GW == 0
			if skips {
				from = concat(before[s.Stream], waited[s.Stream])
				early = true
			}
			g.nodes = append(g.nodes, node{step: it.Index, stream: s.Stream})
			for _, f := range from {
				g.nodes[f].next = append(g.nodes[f].next, n)
				g.nodes[n].needs++
			}
			before[s.Stream], waited[s.Stream] = from, nil
			if skips {
				heads[s.Stream] = concat(heads[s.Stream], []int32{n})
			} else {
				heads[s.Stream] = []int32{n}
			}
		case plan.Record:
			events[it.Name] = heads[it.Stream]
		case plan.Wait:
			heads[it.Stream] = concat(heads[it.Stream], events[it.Name])
			waited[it.Stream] = concat(waited[it.Stream], events[it.Name])
		}
	}
	g.total = len(streams) < 2 && !early
	return g
}

// concat joins two lists of nodes, each once.
func concat(a, b []int32) []int32 {
	out := append([]int32(nil), a...)
	for _, x := range b {
		seen := false
		for _, y := range out {
			seen = seen || x == y
		}
		if !seen {
			out = append(out, x)
		}
	}
	return out
}

func (g *graph) listed() []int32 {
	o := make([]int32, len(g.nodes))
	for i := range o {
		o[i] = int32(i)
	}
	return o
}

// random returns an order that the edges allow. With byStream one stream after the other runs
// as far as it can; otherwise each next node is drawn from those that are ready.
func (g *graph) random(rng *rand.Rand, byStream bool) []int32 {
	needs := make([]int32, len(g.nodes))
	var ready, out []int32
	rank := map[plan.Str]float64{}
	for i := range g.nodes {
		needs[i] = g.nodes[i].needs
		if needs[i] == 0 {
			ready = append(ready, int32(i))
		}
		if _, ok := rank[g.nodes[i].stream]; !ok {
			rank[g.nodes[i].stream] = rng.Float64()
		}
	}
	for len(ready) > 0 {
		k := rng.IntN(len(ready))
		if byStream {
			for i := range ready {
				if rank[g.nodes[ready[i]].stream] > rank[g.nodes[ready[k]].stream] {
					k = i
				}
			}
		}
		n := ready[k]
		ready[k] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		out = append(out, n)
		for _, to := range g.nodes[n].next {
			if needs[to]--; needs[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return out
}
