package cuda

import (
	"errors"
	"fmt"

	"dsac/runtime/plan"
)

// maxFaults bounds how many differences are told.
const maxFaults = 8

// checker holds a graph, as the driver gives it back, against the plan.
type checker struct {
	*binding
	graph *graph
	reach []bits // per node: the nodes that come before it
	errs  []error
}

// checkGraph says where an instantiated graph differs from entry e of the plan. It reads the
// plan anew and shares nothing with buildGraph but the numbering of nodes.
//
// It checks that
//   - there is one kernel node for each launch, in order, then the two copies, and nothing else;
//   - each kernel node has the launch's kernel, grid, block and shared memory, and as many
//     parameters as its steps have operands, and one;
//   - each parameter is the address of the operand's buffer now, the last the control buffer's;
//   - the graph has no cycle, and orders every pair of launches that the plan orders: those of
//     one stream, and those on both sides of an event;
//   - the edges of launches that start early are those of the plan;
//   - the control block comes in before all launches and goes out after all.
//
// It does not check that the plan orders enough: that is the lint's.
func (d *Device) checkGraph(e int, held *graph) error {
	c := checker{binding: &d.binding, graph: held}
	launches := c.launches(e)
	if want := len(launches) + 2; len(held.nodes) != want {
		return fmt.Errorf("graph check: %d nodes, the plan has %d launches and 2 copies", len(held.nodes), len(launches))
	}
	for i, l := range launches {
		c.kernel(&held.nodes[i], l)
	}
	n := int32(len(launches))
	c.copy(&held.nodes[n], toDevice, c.ctl.device, c.ctl.host.at)
	c.copy(&held.nodes[n+1], toHost, c.ctl.host.at, c.ctl.device)
	if !c.close() {
		return errors.New("graph check: the nodes form a cycle")
	}
	c.kinds(c.order(e))
	for i := range n {
		c.before(n, i, "the control block comes in")
		c.before(i, n+1, "the control block goes out")
	}
	return errors.Join(c.errs...)
}

func (c *checker) bad(format string, args ...any) {
	if len(c.errs) < maxFaults {
		c.errs = append(c.errs, fmt.Errorf("graph check: "+format, args...))
	}
}

// launches returns the launches of an entry in the order of their first steps.
func (c *checker) launches(e int) []int32 {
	var ls []int32
	for i := range c.plan.Launches {
		if int(c.plan.Launches[i].Entry) == e {
			ls = append(ls, int32(i))
		}
	}
	return ls
}

func (c *checker) kernel(n *node, at int32) {
	p, l := c.plan, &c.plan.Launches[at]
	where := c.where(&node{launch: at})
	if n.kind != kernelNode {
		c.bad("%s: its node is no kernel", where)
		return
	}
	if n.fn != c.fns[l.Kernel] {
		c.bad("%s: its node has another kernel", where)
	}
	if n.grid != l.Grid || n.block != l.Block || n.shared != l.Shared {
		c.bad("%s: launched as %v x %v with %d bytes shared, the plan says %v x %v with %d", where, n.grid, n.block, n.shared, l.Grid, l.Block, l.Shared)
	}
	at, k := l.First, 0
	for ; at < l.First+l.Count; at++ {
		for i, o := range p.Ops(&p.Steps[at]) {
			b := &p.Bufs[o.Buf]
			want := c.bases[b.Region] + c.offs[o.Buf]
			if k < len(n.params) && n.params[k] != want {
				c.bad("step %s (%s): operand %d, buffer %s, has address %#x, want %#x (stale or of another buffer)",
					p.Str(p.Steps[at].Name), p.Str(p.Steps[at].Op), i, p.Str(b.Name), n.params[k], want)
			}
			k++
		}
	}
	switch {
	case len(n.params) != k+1:
		c.bad("%s: %d parameters, its steps have %d operands and the control buffer", where, len(n.params), k)
	case n.params[k] != c.ctl.device:
		c.bad("%s: the control buffer has address %#x, want %#x", where, n.params[k], c.ctl.device)
	}
}

func (c *checker) copy(n *node, kind nodeKind, dst, src uint64) {
	if n.kind != kind || n.dst != dst || n.src != src || n.bytes != plan.CtlSize {
		c.bad("the copy of the control block goes %#x -> %#x, %d bytes; want %#x -> %#x, %d", n.src, n.dst, n.bytes, src, dst, plan.CtlSize)
	}
}

// order walks the entry and demands what streams and events say. It returns the launches that
// start early: for each its node and that of the launch ahead of it.
func (c *checker) order(e int) map[[2]int32]bool {
	p := c.plan
	early := map[[2]int32]bool{}
	node := int32(-1)
	last := map[plan.Str]int32{}           // stream -> its last node
	event := map[plan.Str]map[int32]bool{} // event -> nodes before it
	after := map[plan.Str]map[int32]bool{} // stream -> nodes that its next one follows
	var launch = plan.None
	for _, it := range p.EntryItems(&p.Entries[e]) {
		switch it.Kind {
		case plan.Record:
			before := map[int32]bool{}
			for n := range after[it.Stream] {
				before[n] = true
			}
			if n, ok := last[it.Stream]; ok {
				before[n] = true
			}
			event[it.Name] = before
		case plan.Wait:
			if after[it.Stream] == nil {
				after[it.Stream] = map[int32]bool{}
			}
			for n := range event[it.Name] {
				after[it.Stream][n] = true
			}
		case plan.DoStep:
			s := &p.Steps[it.Index]
			if s.Launch == launch {
				continue
			}
			launch = s.Launch
			node++
			if n, ok := last[s.Stream]; ok {
				c.before(n, node, "they are on one stream")
				if c.early && s.Flags&plan.PDL != 0 && s.Flags&plan.GW != 0 && after[s.Stream] == nil {
					early[[2]int32{n, node}] = true
				}
			}
			for n := range after[s.Stream] {
				c.before(n, node, "an event stands between them")
			}
			delete(after, s.Stream) // what comes later on the stream follows through this node
			last[s.Stream] = node
		}
	}
	return early
}

// kinds demands that the edges in early, and no others, let a launch start early.
func (c *checker) kinds(early map[[2]int32]bool) {
	for _, e := range c.graph.edges {
		from, to := c.where(c.planNode(e.from)), c.where(c.planNode(e.to))
		switch want := early[[2]int32{e.from, e.to}]; {
		case e.early && !want:
			c.bad("%s may start before %s has ended: the plan does not say so", to, from)
		case want && !e.early:
			c.bad("%s starts when %s has ended: the plan lets it start early", to, from)
		}
	}
}

// before demands that node a ends before node b starts.
func (c *checker) before(a, b int32, why string) {
	if !c.reach[b].has(a) {
		c.bad("nothing makes %s wait for %s: %s", c.where(c.planNode(b)), c.where(c.planNode(a)), why)
	}
}

// planNode stands for a node in a message, whatever the driver holds there.
func (c *checker) planNode(i int32) *node { return &c.graph.nodes[i] }

// bits is a set of small numbers.
type bits []uint64

func (b bits) has(i int32) bool { return b[i/64]>>(i%64)&1 != 0 }

// close computes what comes before each node; false if that is not possible.
func (c *checker) close() bool {
	n := len(c.graph.nodes)
	c.reach = make([]bits, n)
	next := make([][]int32, n)
	missing := make([]int, n) // edges into a node not yet followed
	for i := range c.reach {
		c.reach[i] = make(bits, (n+63)/64)
	}
	for _, e := range c.graph.edges {
		next[e.from] = append(next[e.from], e.to)
		missing[e.to]++
	}
	var ready []int32
	for i := range n {
		if missing[i] == 0 {
			ready = append(ready, int32(i))
		}
	}
	seen := 0
	for ; len(ready) > 0; seen++ {
		at := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, to := range next[at] {
			for w := range c.reach[to] {
				c.reach[to][w] |= c.reach[at][w]
			}
			c.reach[to][at/64] |= 1 << (at % 64)
			if missing[to]--; missing[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return seen == n
}
