package kernels

import "dsac/codegen"

// crew is the blocks of a cluster that choose for one row together, in the way of quick: one
// multiprocessor alone is what takes time there. All of them guess the same number from the same
// sample. Then each sieves its part of the row, the parts in order, and keeps what is not below in
// its shared memory. Each loads the keys that all kept, searches them, and lists what is its own,
// behind what those before it have chosen. So they meet once.
//
// Short rows are chosen by the first block, and so are those for which the guess was wrong.
type crew struct {
	descent
	blocks int // of a cluster
}

// newCrew says how many blocks share a row; with 1 there is nothing to share. All rows of a launch
// are to be under way at once, with some room: clusters do not fill a device.
func newCrew(d descent, rows int, target *codegen.Target) crew {
	c := crew{d, 1}
	if d.width < crewFrom || d.width > crewTo || !d.guesses() || !target.Clusters() {
		return c
	}
	for c.blocks < mostCrew && 2*c.blocks*rows <= target.SMs*7/8 {
		c.blocks *= 2
	}
	for c.blocks > 1 && c.threads > crewThreads {
		c.threads, c.groups, c.each = c.threads/2, 2*c.groups, 2*c.each
	}
	return c
}

const (
	mostCrew    = 8
	crewFrom    = 8193 // scores: fewer are no work for several
	crewTo      = 1 << 22
	crewThreads = 512 // more wait longer for each other
)

// shared returns the bytes of dynamic shared memory: two lists of nodes, and keys.
func (c *crew) shared() int {
	if c.blocks == 1 {
		return c.descent.shared()
	}
	return 4 * max(c.count, 3*c.few())
}

// sharedCrew is the static shared memory of a crew beside that of digits.
const sharedCrew = 8 + 32*4

// sharing is a crew at work in a kernel.
type sharing struct {
	*descending
	sieve
	blocks  int
	rank    codegen.I32
	kept    codegen.Ptr // shared: how many keys this block keeps, and the largest
	largest codegen.Ptr // shared: keys of warps
}

// choose writes the list of a row that has limit scores. All threads of the cluster call it.
func (c crew) choose(k *codegen.K, scores codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
	if c.blocks == 1 {
		c.descent.choose(k, scores, limit, list)
		return
	}
	w := &sharing{blocks: c.blocks, descending: c.begin(k, scores, limit, list), rank: k.ClusterRank()}
	w.sieve = newSieve(w.descending)
	w.kept, w.largest = k.Shared("kept", 8), k.Shared("largest", sharedCrew-8)
	first := w.rank.Eq(0)
	k.IfElse(limit.Le(c.few()), func() {
		k.If(first, func() { k.IfElse(limit.Le(c.count), w.all, w.small) })
	}, func() {
		k.If(first.And(w.share(limit).Not()), w.descend)
		k.ClusterWait() // for those that load from here
	})
}

// share writes the list unless there are too few, or too many, scores not below the guess. It ends
// with an arrival at the barrier of the cluster.
func (w *sharing) share(limit codegen.I32) (done codegen.Pred) {
	k := w.k
	// The scores themselves are sieved where each thread has a run of them at most.
	scores := level{base: k.I32(0), nodes: limit}
	tall, from := k.Bool(false), scores
	if w.levels > 0 {
		tall = limit.Gt(w.blocks * w.few())
		from = level{codegen.Select(tall, k.I32(w.width), k.I32(0)), codegen.Select(tall, w.rows[1].limit, limit)}
	}
	sample := w.sample(from)
	groups := from.nodes.Add(run - 1).Shr(log2(run))
	part := groups.Add(w.blocks - 1).Shr(log2(w.blocks))
	first := w.rank.Mul(part)
	mine := groups.Sub(first).Clamp(0, part)
	node := func(i codegen.I32) codegen.I32 { return first.Add(i) }
	w.fetch(from, mine, k.I32(0), node) // under way while the guess is made
	b := newBar(w.likely(sample, from.nodes))
	kept := codegen.Let(w.pass(b, from, mine, node, func(stay, slot codegen.I32) {
		k.IfElse(tall, func() { w.noteNodes(w.lists[0])(stay, slot) }, func() { w.noteScores(w.lists[0])(stay, slot) })
	}))
	k.If(tall, func() {
		n := kept.Get()
		k.Sync()
		some := n.Min(w.few())
		node := func(i codegen.I32) codegen.I32 {
			return w.lists[0].Elem(i.Min(w.few()-1), 4).When(i.Lt(some)).LdI32()
		}
		w.fetch(scores, some, k.I32(0), node)
		left := w.pass(b, scores, some, node, w.noteScores(w.lists[1]))
		kept.Set(codegen.Select(n.Le(w.few()), left, n))
	})
	list := w.lists[0].At(codegen.Select(tall, k.I32(4*w.few()), k.I32(0)))
	w.pad(list, kept.Get())
	w.tell(kept.Get())
	k.ClusterSync()
	return w.choices(b, list)
}

// sample loads nodes evenly over a level, in pairs: half as many lines of memory.
func (w *sharing) sample(from level) []codegen.F32 {
	n, at := w.sampled(), min(2, w.wide) // of a thread, at once
	var xs []codegen.F32
	for j := range n / at {
		pair := w.thread.Mul(n / at).Add(j).Mul(from.nodes.Shr(log2(at))).Shr(log2(w.threads * n / at))
		xs = append(xs, w.at(from, pair.Mul(at)).LdF32s(at)...)
	}
	return xs
}
