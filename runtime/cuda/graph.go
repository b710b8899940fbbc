package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// graph is an entry as the driver gets it: nodes and what each must wait for.
type graph struct {
	nodes []node
	edges []edge // sorted
}

// edge says that node from ends before node to starts; an early one (programmatic dependent
// launch) only that it ends before the kernel of node to passes its wait for the grid.
type edge struct {
	from, to int32
	early    bool
}

type nodeKind uint8

const (
	kernelNode nodeKind = iota
	toDevice            // copies the control block from pinned memory
	toHost              // copies to pinned memory
)

// node is one kernel launch or copy.
type node struct {
	kind   nodeKind
	launch int32 // of the plan, or plan.None

	fn          uint64 // kernel
	grid, block [3]uint32
	shared      uint32   // dynamic shared memory, bytes
	params      []uint64 // device addresses

	dst, src uint64 // copy
	bytes    uint64
}

// control is where an entry's numbers go in and come out.
type control struct {
	device uint64
	host   *pinned
}

// orderer finds what the launches of an entry must wait for: program order on each stream,
// and events.
type orderer struct {
	ahead  map[plan.Str][]int32 // stream -> nodes that its next node comes after
	joined map[plan.Str]bool    // stream: an event is waited for since its last node
	events map[plan.Str][]int32 // event -> nodes that it stands for
	edges  map[edge]bool
}

func newOrderer() *orderer {
	return &orderer{map[plan.Str][]int32{}, map[plan.Str]bool{}, map[plan.Str][]int32{}, map[edge]bool{}}
}

// step puts a node at the end of a stream. One that may start early does so where it comes
// after nothing but the last node of the stream.
func (o *orderer) step(stream plan.Str, node int32, early bool) {
	for _, from := range o.ahead[stream] {
		o.edges[edge{from, node, early && !o.joined[stream]}] = true
	}
	o.ahead[stream], o.joined[stream] = []int32{node}, false
}

// record makes an event stand for all of the stream so far.
func (o *orderer) record(stream, event plan.Str) {
	o.events[event] = slices.Clone(o.ahead[stream])
}

// wait makes what follows on a stream come after an event; false if nothing recorded it.
func (o *orderer) wait(stream, event plan.Str) bool {
	from, ok := o.events[event]
	o.ahead[stream], o.joined[stream] = append(o.ahead[stream], from...), true
	return ok
}

// buildGraph turns an entry into a graph. Kernel nodes are numbered as the launches of the
// entry, the copies of the control buffer come after them. It fails when the entry cannot be
// launched: a step without kernel, an event that nobody records.
func (b *binding) buildGraph(entry int) (*graph, error) {
	p, e := b.plan, &b.plan.Entries[entry]
	g := &graph{}
	o := newOrderer()
	current := plan.None // launch of the step before
	for _, it := range p.EntryItems(e) {
		switch it.Kind {
		case plan.Record:
			o.record(it.Stream, it.Name)
		case plan.Wait:
			if !o.wait(it.Stream, it.Name) {
				return nil, fmt.Errorf("stream %q waits for event %s, which nothing before records", p.Str(it.Stream), p.Str(it.Name))
			}
		case plan.NextStep:
			return nil, fmt.Errorf("the entry holds more than one step: %w", ErrUnsupported)
		case plan.DoStep:
			s := &p.Steps[it.Index]
			if s.Launch != plan.None && s.Launch == current {
				continue
			}
			n, err := b.kernelNode(it.Index)
			if err != nil {
				return nil, fmt.Errorf("step %s (%s): %w", p.Str(s.Name), p.Str(s.Op), err)
			}
			current = s.Launch
			g.nodes = append(g.nodes, n)
			o.step(s.Stream, int32(len(g.nodes)-1), b.early && startsEarly(s))
		}
	}
	b.frame(g, o)
	return g, nil
}

// startsEarly says whether the launch of a step may start before the one ahead of it has ended:
// its kernel must then wait by itself, which the lint has proved (P13). Without that wait the
// launches after it, which wait for it alone, could overtake the ones before it.
func startsEarly(s *plan.Step) bool { return s.Flags&plan.PDL != 0 && s.Flags&plan.GW != 0 }

// kernelNode makes the node of the launch that starts with step.
func (b *binding) kernelNode(step int32) (node, error) {
	p := b.plan
	at := p.Steps[step].Launch
	if at == plan.None || p.Launches[at].Kernel == plan.None {
		return node{}, fmt.Errorf("it has no kernel: compile the plan with --target %s", b.arch)
	}
	l := &p.Launches[at]
	return node{kind: kernelNode, launch: at, fn: b.fns[l.Kernel], grid: l.Grid, block: l.Block, shared: l.Shared, params: b.params(l)}, nil
}

// params returns the addresses that a launch gets: the operands of its steps in order, then
// the control buffer.
func (b *binding) params(l *plan.Launch) []uint64 {
	var ps []uint64
	for s := l.First; s < l.First+l.Count; s++ {
		for _, o := range b.plan.Ops(&b.plan.Steps[s]) {
			ps = append(ps, b.address(o.Buf))
		}
	}
	return append(ps, b.ctl.device)
}

// frame puts the copy of the control block before everything and the copy back after it, and
// sorts the edges.
func (b *binding) frame(g *graph, o *orderer) {
	n := int32(len(g.nodes))
	first, last := n, n+1
	g.nodes = append(g.nodes,
		node{kind: toDevice, launch: plan.None, dst: b.ctl.device, src: b.ctl.host.at, bytes: plan.CtlSize},
		node{kind: toHost, launch: plan.None, dst: b.ctl.host.at, src: b.ctl.device, bytes: plan.CtlSize})
	waits, waited := make([]bool, n), make([]bool, n)
	for e := range o.edges {
		waited[e.from], waits[e.to] = true, true
	}
	for i := range n {
		if !waits[i] {
			o.edges[edge{first, i, false}] = true
		}
		if !waited[i] {
			o.edges[edge{i, last, false}] = true
		}
	}
	if n == 0 {
		o.edges[edge{first, last, false}] = true
	}
	for e := range o.edges {
		g.edges = append(g.edges, e)
	}
	sortEdges(g.edges)
}

func sortEdges(es []edge) {
	slices.SortFunc(es, func(a, b edge) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}
