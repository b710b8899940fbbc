package kernels

import "dsac/codegen"

// crew is the blocks of a cluster that choose for one row together, in the way of quick: one
// multiprocessor alone is what takes time there. All of them guess the same number from the same
// sample. Then each sieves its part of the row, the parts in order, and keeps what is not below
// in its own shared memory. Each loads what all kept, searches that, and lists its own part of it,
// which begins behind those of the blocks before it. So they meet once.
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
	crewFrom    = 4097 // scores: fewer are no work for several
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

// sharing is a crew at work in a kernel.
type sharing struct {
	*descending
	sieve
	blocks int
	rank   codegen.I32
	counts codegen.Ptr // shared: what each block keeps
}

// choose writes the list of a row that has limit scores. All threads of the cluster call it.
func (c crew) choose(k *codegen.K, scores codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
	if c.blocks == 1 {
		c.descent.choose(k, scores, limit, list)
		return
	}
	w := &sharing{blocks: c.blocks, descending: c.begin(k, scores, limit, list), rank: k.ClusterRank(), counts: k.Shared("kept", 4*mostCrew)}
	w.sieve = newSieve(w.descending)
	first := w.rank.Eq(0)
	k.IfElse(limit.Le(c.few()), func() {
		k.If(first, func() { k.IfElse(limit.Le(c.count), w.all, w.small) })
	}, func() {
		done := w.share(limit)
		k.If(first.And(done.Not()), w.descend)
		k.ClusterWait() // for those that load from here
	})
}

// share writes the list unless there are too few, or too many, scores not below the guess. It ends
// with an arrival at the barrier of the cluster.
func (w *sharing) share(limit codegen.I32) (done codegen.Pred) {
	k := w.k
	k.ClusterArrive()
	// The scores themselves are sieved where each thread has a run of them at most.
	tall, from := k.Bool(false), level{base: k.I32(0), nodes: limit}
	if w.levels > 0 {
		tall = limit.Gt(w.blocks * w.few())
		from.base = codegen.Select(tall, k.I32(w.width), k.I32(0))
		from.nodes = codegen.Select(tall, w.rows[1].limit, limit)
	}
	groups := from.nodes.Add(run - 1).Shr(log2(run))
	part := groups.Add(w.blocks - 1).Shr(log2(w.blocks))
	first := w.rank.Mul(part)
	mine := groups.Sub(first).Clamp(0, part)
	node := func(i codegen.I32) codegen.I32 { return first.Add(i) }
	sample := w.sample(from)
	w.fetch(from, mine, k.I32(0), node) // under way while the guess is made
	b, most := w.guess(sample, from.nodes)
	kept := codegen.Let(w.pass(b, from, mine, node, w.lists[0]))
	k.If(tall, func() {
		n := kept.Get()
		k.Sync()
		some := n.Min(w.few())
		node := func(i codegen.I32) codegen.I32 {
			return w.lists[0].Elem(i.Min(w.few()-1), 4).When(i.Lt(some)).LdI32()
		}
		scores := level{base: k.I32(0), nodes: limit}
		w.fetch(scores, some, k.I32(0), node)
		left := w.pass(b, scores, some, node, w.lists[1])
		kept.Set(codegen.Select(n.Le(w.few()), left, n))
	})
	list := w.lists[0].At(codegen.Select(tall, k.I32(4*w.few()), k.I32(0)))
	n := kept.Get()
	w.pad(list, n)
	k.ClusterWait() // all blocks have started
	to := w.thread.Min(w.blocks - 1)
	k.If(w.thread.Lt(w.blocks), func() { w.counts.Peer(to).Elem(w.rank, 4).StI32(n.Min(tooMany)) })
	k.ClusterSync()
	return w.search(list, b, most)
}

// tooMany is more than all blocks have room for.
const tooMany = 1 << 20

// sample loads nodes evenly over a level.
func (w *sharing) sample(from level) []codegen.F32 {
	xs := make([]codegen.F32, w.sampled())
	for j := range xs {
		at := w.thread.Mul(len(xs)).Add(j).Mul(from.nodes).Shr(log2(w.threads * len(xs)))
		xs[j] = w.at(from, at).LdF32()
	}
	return xs
}

// guess is a bar for as many nodes, the same one in all blocks. Few are above most.
func (w *sharing) guess(sample []codegen.F32, nodes codegen.I32) (b bar, most codegen.F32) {
	least, hi := w.likely(sample, nodes)
	return newBar(least), floatOf(hi)
}

// pad makes the last vector of keys and of the list whole.
func (w *sharing) pad(list codegen.Ptr, n codegen.I32) {
	k := w.k
	at := n.Add(w.thread)
	k.If(w.thread.Lt(3).And(at.Lt(w.few())), func() {
		w.keys.Elem(at, 4).StI32(k.I32(0))
		list.Elem(at, 4).StI32(k.I32(0))
	})
}

// search chooses among what all blocks have kept, and lists those of this one.
func (w *sharing) search(list codegen.Ptr, b bar, most codegen.F32) (done codegen.Pred) {
	k := w.k
	total, vectors := k.I32(0), k.I32(0)
	var starts []codegen.I32 // of the blocks, in vectors
	for i := 0; i < w.blocks; i += 2 {
		for _, n := range w.counts.At(4 * i).LdI32s(2) {
			starts = append(starts, vectors)
			total, vectors = total.Add(n), vectors.Add(n.Add(3).Shr(2))
		}
	}
	each := w.each / 4 // vectors
	good := total.Ge(w.count).And(vectors.Le(each * w.threads))
	end := codegen.Select(good, vectors, k.I32(0))
	var keys, at []codegen.I32
	own := k.I32(0)
	for v := range each {
		i := w.thread.Mul(each).Add(v)
		owner, start := k.I32(0), k.I32(0)
		for _, s := range starts[1:] {
			past := i.Ge(s)
			owner, start = owner.Add(past.I32()), codegen.Select(past, s, start)
		}
		p := i.Sub(start).Clamp(0, w.few()/4-1)
		in := i.Lt(end)
		mine := in.And(owner.Eq(w.rank))
		keys = append(keys, w.keys.Peer(owner).Elem(p, 16).When(in).LdI32s(4)...)
		at = append(at, list.Elem(p, 16).When(mine).LdI32s(4)...)
		own = own.Or(codegen.Select(mine, k.I32(15<<(4*v)), k.I32(0)))
	}
	k.ClusterArrive()
	k.If(good, func() {
		threshold, quota := w.runoff.cut(keys, w.thread.Mul(each).Lt(vectors), b.x, most, k.I32(w.count))
		w.emit(w.list, w.count, keys, own, func(j int) codegen.I32 { return at[j] }, threshold, quota, k.I32(0), k.I32(0))
	})
	return good
}
