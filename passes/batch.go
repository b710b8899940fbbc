package passes

import (
	"cmp"
	"slices"

	"dsac/ir"
)

// batchRows is the largest T for which launches are worth joining: in longer steps every kernel
// fills the GPU, and what is left between two does not count.
const batchRows = 16

// mostParts bounds the parts of a launch: each is code that all of its blocks carry along.
const mostParts = 8

// batch puts nodes that do not wait for each other into one launch, in entries of few rows,
// where the time between launches and kernels of one block count. It takes the launches along
// the longest way to the end, and gives each what else is ready and fits: kernels that would
// not share a multiprocessor as they do alone stay apart (see fit). Keeping what reads many bytes
// for a launch whose own kernels read few was tried, and was slower. Kernels of one block each
// run one after another in it, where that makes the way to the end shorter. In longer entries only
// the end is one launch, so that all entries have the same. It needs one order;
// it leaves an order and the groups; it never changes a node.
func batch(u *Unit) error {
	if u.Opt.target().GPU == nil {
		return nil
	}
	if u.Bind.T > batchRows {
		for _, n := range u.G.Nodes {
			u.join(Group{{n}})
		}
		u.joinEpilogue()
		return nil
	}
	ready := jobs(u)
	var order []*ir.Node
	for len(ready) > 0 {
		slices.SortFunc(ready, (*job).compare)
		parts := gather(ready)
		ready = slices.DeleteFunc(ready, func(j *job) bool { return slices.ContainsFunc(parts, func(p part) bool { return p[0] == j }) })
		for _, p := range parts {
			ready = append(ready, p.done()...)
		}
		for {
			i, next := follower(parts, ready)
			if next < 0 {
				break
			}
			j := ready[next]
			parts[i] = append(parts[i], j)
			ready = append(slices.Delete(ready, next, next+1), part{j}.done()...)
		}
		var g Group
		for _, p := range parts {
			g = append(g, p.nodes())
		}
		u.join(g)
		order = append(order, g.nodes()...)
	}
	if len(order) != len(u.G.Nodes) {
		panic("BUG: the graph has a cycle")
	}
	u.G.Nodes = order
	u.joinEpilogue()
	return nil
}

// part is jobs that run one after another in blocks of their own.
type part []*job

// done tells the jobs that wait for those of a part; it returns those that wait no more.
func (p part) done() (ready []*job) {
	for _, j := range p {
		for _, s := range j.next {
			if s.waits--; s.waits == 0 {
				ready = append(ready, s)
			}
		}
	}
	return ready
}

func (p part) nodes() (ns []*ir.Node) {
	for _, j := range p {
		ns = append(ns, j.node)
	}
	return ns
}

// gather returns the first of the ready jobs and what runs beside it, small kernels first: they
// take the longest for what they do.
func gather(ready []*job) (parts []part) {
	taken := []*job{ready[0]}
	for _, j := range ready[1:] {
		if len(taken) < mostParts && fit(taken, j) {
			taken = append(taken, j)
		}
	}
	slices.SortStableFunc(taken, func(a, b *job) int { return cmp.Compare(weight(a), weight(b)) })
	for _, j := range taken {
		parts = append(parts, part{j})
	}
	return parts
}

// follower returns the job that would be the next launch and can run in a part of this one
// instead: it waits for jobs of that part and of earlier launches alone, and nothing else that
// is ready has as much to follow.
func follower(parts []part, ready []*job) (in, next int) {
	if len(ready) == 0 {
		return -1, -1
	}
	next = 0
	for i, j := range ready {
		if j.compare(ready[next]) < 0 {
			next = i
		}
	}
	j := ready[next]
	for i, o := range ready {
		if i != next && o.tail == j.tail {
			return -1, -1
		}
	}
	in = -1
	var all []*job
	for i, p := range parts {
		all = append(all, p...)
		if slices.ContainsFunc(p, func(o *job) bool { return slices.Contains(o.next, j) }) {
			if in >= 0 {
				return -1, -1
			}
			in = i
		}
	}
	if in < 0 || j.launch.Blocks() != 1 || parts[in][0].launch.Blocks() != 1 || !fit(all, j) {
		return -1, -1
	}
	return in, next
}

// weight puts heavy jobs behind the others.
func weight(j *job) int {
	if j.heavy {
		return 1
	}
	return 0
}

// compare orders jobs by the length of what follows them, longest first.
func (j *job) compare(k *job) int {
	switch {
	case j.tail != k.tail:
		return cmp.Compare(k.tail, j.tail)
	case before(j.node, k.node):
		return -1
	}
	return 1
}
