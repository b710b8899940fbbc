package passes

import (
	"cmp"
	"slices"

	"dsac/ir"
)

// Group is the nodes of one launch: parts that run at the same time, each in blocks of its own.
type Group []*ir.Node

// batchRows is the largest T for which launches are worth joining: in longer steps every kernel
// fills the GPU, and what is left between two does not count.
const batchRows = 16

// patience is how many launches a node must have to spare to be kept for a later one.
const patience = 2

// mostParts bounds the parts of a launch: each is code that all of its blocks carry along.
const mostParts = 8

// batch puts nodes that do not wait for each other into one launch, in entries of few rows,
// where the time between launches and kernels of one block count. It takes the launches along
// the longest way to the end, and gives each what else is ready and fits: kernels that would
// not share a multiprocessor as they do alone stay apart (see job.fits). What reads many bytes
// is kept, where it can wait, for a launch whose own kernels read few. It needs one order; it
// leaves an order and the groups; it never changes a node.
func batch(u *Unit) error {
	if u.Opt.target().GPU == nil || u.Bind.T > batchRows {
		return nil
	}
	ready := jobs(u)
	var order []*ir.Node
	for len(ready) > 0 {
		slices.SortFunc(ready, (*job).compare)
		taken := gather(ready)
		ready = slices.DeleteFunc(ready, func(j *job) bool { return slices.Contains(taken, j) })
		var g Group
		for _, j := range taken {
			g = append(g, j.node)
			for _, s := range j.next {
				if s.waits--; s.waits == 0 {
					ready = append(ready, s)
				}
			}
		}
		u.Groups = append(u.Groups, g)
		order = append(order, g...)
	}
	if len(order) != len(u.G.Nodes) {
		panic("BUG: the graph has a cycle")
	}
	u.G.Nodes = order
	return nil
}

// gather returns the first of the ready jobs and what runs beside it, small kernels first: they
// take the longest for what they do.
func gather(ready []*job) []*job {
	lead := ready[0]
	taken := []*job{lead}
	for _, j := range ready[1:] {
		if len(taken) < mostParts && fit(taken, j) && !(j.heavy && anyHeavy(taken) && j.waitsFor(lead)) {
			taken = append(taken, j)
		}
	}
	slices.SortStableFunc(taken, func(a, b *job) int { return cmp.Compare(weight(a), weight(b)) })
	return taken
}

func weight(j *job) int {
	if j.heavy {
		return 1
	}
	return 0
}

func anyHeavy(js []*job) bool { return slices.ContainsFunc(js, func(j *job) bool { return j.heavy }) }

// waitsFor says whether a heavy job should be kept: lead is in the launch at hand, and before
// the job is needed a launch comes that has room for it.
func (j *job) waitsFor(lead *job) bool {
	spare := lead.tail - j.tail
	if spare < patience {
		return false
	}
	for at := lead; spare > 0 && len(at.next) > 0; spare-- {
		at = slices.MinFunc(at.next, (*job).compare)
		if !at.heavy && fit([]*job{at}, j) {
			return true
		}
	}
	return false
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

// beside returns the nodes that run at the same time as the node at a step.
func (u *Unit) beside(step int) []*ir.Node {
	g, lo, _ := u.launchOf(step)
	if g == nil {
		return nil
	}
	return slices.Delete(slices.Clone(g), step-lo, step-lo+1)
}

// launchOf returns the group of a step and its first and last steps; without groups a step is
// alone in its launch.
func (u *Unit) launchOf(step int) (g Group, lo, hi int) {
	for _, g := range u.Groups {
		if step < lo+len(g) {
			return g, lo, lo + len(g) - 1
		}
		lo += len(g)
	}
	return nil, step, step
}
