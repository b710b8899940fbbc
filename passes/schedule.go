package passes

import (
	"cmp"
	"container/heap"

	"dsac/ir"
)

// schedule puts the nodes into one order that depends on the graph alone, not on the order
// in which it came: among the nodes that are ready, the one of the lowest layer, then the
// earliest place in the DSL, then the smallest label. It needs unique labels; it leaves a
// topological order that follows the source; it never changes a node.
func schedule(u *Unit) error {
	listSchedule(u.G, nil)
	return nil
}

// listSchedule orders g.Nodes topologically. Reads of a state come before the next write of
// it. pick chooses among the ready nodes; nil takes the smallest by before.
func listSchedule(g *ir.Graph, pick func(ready []*ir.Node) int) {
	next, waits := dependences(g)
	ready := &nodeHeap{}
	for _, n := range g.Nodes {
		if waits[n] == 0 {
			ready.Push(n)
		}
	}
	heap.Init(ready)
	order := make([]*ir.Node, 0, len(g.Nodes))
	for ready.Len() > 0 {
		var n *ir.Node
		if pick == nil {
			n = heap.Pop(ready).(*ir.Node)
		} else {
			n = heap.Remove(ready, pick(*ready)).(*ir.Node)
		}
		order = append(order, n)
		for _, m := range next[n] {
			if waits[m]--; waits[m] == 0 {
				heap.Push(ready, m)
			}
		}
	}
	if len(order) != len(g.Nodes) {
		panic("BUG: the graph has a cycle")
	}
	g.Nodes = order
}

// dependences returns the nodes that follow each node, and how many edges lead to it.
func dependences(g *ir.Graph) (next map[*ir.Node][]*ir.Node, waits map[*ir.Node]int) {
	next, waits = make(map[*ir.Node][]*ir.Node, len(g.Nodes)), make(map[*ir.Node]int, len(g.Nodes))
	edge := func(from, to *ir.Node) {
		if from != to {
			next[from] = append(next[from], to)
			waits[to]++
		}
	}
	users := g.Users()
	for _, n := range g.Nodes {
		for _, in := range n.In {
			if in.Val.Kind == ir.Result {
				edge(in.Val.Def, n)
			}
		}
		// A node that makes a new version of a state follows every reader of the old one.
		for i := range n.Out {
			if old := n.StateOf(i); old != nil {
				for _, reader := range users[old] {
					edge(reader, n)
				}
			}
		}
	}
	return next, waits
}

// before is the canonical order of ready nodes.
func before(a, b *ir.Node) bool {
	return cmp.Or(
		cmp.Compare(a.Layer, b.Layer),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Col, b.Pos.Col),
		cmp.Compare(a.Label, b.Label),
	) < 0
}

type nodeHeap []*ir.Node

func (h nodeHeap) Len() int           { return len(h) }
func (h nodeHeap) Less(i, j int) bool { return before(h[i], h[j]) }
func (h nodeHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nodeHeap) Push(x any)        { *h = append(*h, x.(*ir.Node)) }
func (h *nodeHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	*h = old[:len(old)-1]
	return n
}
