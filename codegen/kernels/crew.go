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

// shared returns the bytes of dynamic shared memory: two lists of nodes, keys, and what others send.
func (c *crew) shared() int {
	if c.blocks == 1 {
		return c.descent.shared()
	}
	return 4 * max(c.count, 4*c.few())
}

// sharing is a crew at work in a kernel.
type sharing struct {
	*descending
	sieve
	blocks int
	rank   codegen.I32
	counts codegen.Ptr // shared: what each block keeps
	inbox  codegen.Ptr // shared: keys of each block, few over blocks of them
}

// choose writes the list of a row that has limit scores. All threads of the cluster call it.
func (c crew) choose(k *codegen.K, scores codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
	if c.blocks == 1 {
		c.descent.choose(k, scores, limit, list)
		return
	}
	w := &sharing{blocks: c.blocks, descending: c.begin(k, scores, limit, list), rank: k.ClusterRank(), counts: k.Shared("kept", 4*mostCrew)}
	w.sieve, w.inbox = newSieve(w.descending), w.memory.At(12*c.few())
	first := w.rank.Eq(0)
	k.IfElse(limit.Le(c.few()), func() {
		k.If(first, func() { k.IfElse(limit.Le(c.count), w.all, w.small) })
	}, func() {
		k.If(first.And(w.share(limit).Not()), w.descend)
	})
}

// share writes the list unless there are too few, or too many, scores not below the guess.
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
	sample := w.sample(from)
	groups := from.nodes.Add(run - 1).Shr(log2(run))
	part := groups.Add(w.blocks - 1).Shr(log2(w.blocks))
	first := w.rank.Mul(part)
	mine := groups.Sub(first).Clamp(0, part)
	node := func(i codegen.I32) codegen.I32 { return first.Add(i) }
	w.fetch(from, mine, k.I32(0), node) // under way while the guess is made
	b := newBar(w.likely(sample, from.nodes))
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
	w.pad(list, kept.Get())
	k.Sync()
	k.ClusterWait() // all blocks have started
	w.send(kept.Get())
	k.ClusterSync()
	return w.choices(list)
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

// pad makes the last vector of keys and of the list whole.
func (w *sharing) pad(list codegen.Ptr, n codegen.I32) {
	k := w.k
	at := n.Add(w.thread)
	k.If(w.thread.Lt(3).And(at.Lt(w.few())), func() {
		w.keys.Elem(at, 4).StI32(k.I32(0))
		list.Elem(at, 4).StI32(k.I32(0))
	})
}

// slot is how many vectors of keys a block sends to each.
func (w *sharing) slot() int { return w.few() / 4 / w.blocks }

// send tells every block, this one too, how many of n keys there are, and the keys unless they are
// more than an even share.
func (w *sharing) send(n codegen.I32) {
	k := w.k
	k.If(w.thread.Lt(w.blocks), func() {
		w.counts.Peer(w.thread.Min(w.blocks-1)).Elem(w.rank, 4).StI32(n.Min(tooMany))
	})
	vectors := n.Add(3).Shr(2)
	k.If(vectors.Le(w.slot()), func() {
		k.For(w.thread, vectors.Shl(log2(w.blocks)), w.threads, func(i codegen.I32) {
			at := i.Shr(log2(w.blocks)).Min(w.slot() - 1)
			to := w.inbox.Peer(i.And(w.blocks-1)).Elem(w.rank, 16*w.slot())
			to.Elem(at, 16).StI32x4(w.keys.Elem(at, 16).LdI32x4())
		})
	})
}

// tooMany is more than all blocks have room for.
const tooMany = 1 << 20

// choices chooses among what all blocks have kept, and lists those of this one.
func (w *sharing) choices(list codegen.Ptr) (done codegen.Pred) {
	k := w.k
	total, vectors, most := k.I32(0), k.I32(0), k.I32(0)
	var starts []codegen.I32 // of the blocks, in vectors
	for i := 0; i < w.blocks; i += 2 {
		for _, n := range w.counts.At(4 * i).LdI32s(2) {
			v := n.Add(3).Shr(2)
			starts = append(starts, vectors)
			total, vectors, most = total.Add(n), vectors.Add(v), most.Max(v)
		}
	}
	each := w.each / 4 // vectors
	good := total.Ge(w.count).And(vectors.Le(each * w.threads))
	sent := most.Le(w.slot())
	keys := codegen.Lets(w.each, k.I32(0))
	var at []codegen.I32
	own := k.I32(0)
	take := func(v int, from codegen.Ptr) {
		for j, key := range from.LdI32s(4) {
			keys[4*v+j].Set(key)
		}
	}
	end := codegen.Select(good, vectors, k.I32(0))
	k.IfElse(sent, func() {
		for v := range each {
			owner, p := w.whose(v, starts)
			take(v, w.inbox.Elem(owner, 16*w.slot()).Elem(p.Min(w.slot()-1), 16).When(w.vector(v).Lt(end)))
		}
	}, func() {
		for v := range each {
			owner, p := w.whose(v, starts)
			take(v, w.keys.Peer(owner).Elem(p, 16).When(w.vector(v).Lt(end)))
		}
		k.ClusterArrive()
	})
	k.If(good, func() {
		for v := range each {
			owner, p := w.whose(v, starts)
			mine := w.vector(v).Lt(vectors).And(owner.Eq(w.rank))
			at = append(at, list.Elem(p, 16).When(mine).LdI32s(4)...)
			own = own.Or(codegen.Select(mine, k.I32(15<<(4*v)), k.I32(0)))
		}
		threshold, quota := w.among(values(keys), w.vector(0).Lt(vectors))
		w.emit(w.list, w.count, values(keys), own, func(j int) codegen.I32 { return at[j] }, threshold, quota, k.I32(0), k.I32(0))
	})
	k.If(sent.Not(), k.ClusterWait) // for those that load from here
	return good
}

// vector is the number of a thread's v-th vector of keys of all blocks.
func (w *sharing) vector(v int) codegen.I32 { return w.thread.Mul(w.each / 4).Add(v) }

// whose says which block has a thread's v-th vector, and where.
func (w *sharing) whose(v int, starts []codegen.I32) (owner, at codegen.I32) {
	i, owner, start := w.vector(v), w.k.I32(0), w.k.I32(0)
	for _, s := range starts[1:] {
		past := i.Ge(s)
		owner, start = owner.Add(past.I32()), codegen.Select(past, s, start)
	}
	return owner, i.Sub(start).Clamp(0, w.few()/4-1)
}
