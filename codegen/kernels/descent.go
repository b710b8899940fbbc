package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/runtime/ref"
)

// descent finds the k largest scores of a row, by one block, exactly: of equal scores the lower
// position wins, and the list is ascending. A row that the registers of a block do not hold is
// not read as a whole. Its scores are the leaves of a tree:
//
//	level 0   scores
//	level 1   top: the largest of each run of eight scores
//	level 2   the largest of each run of eight tops
//
// The search starts at the lowest level that fits and chooses the k largest nodes there, of
// equal ones the lowest. Their children hold the k largest nodes of the level below: every
// child above the key of rank k lies under a node above it; each chosen node above that key
// stands for one such child, so that no more lowest equals can be wanted than nodes with that
// key were chosen. So each level has 8k children at most, whatever the scores are.
//
// Of a level only the nodes that are not below some key are looked at closely, see thin.
type descent struct {
	count   int // of the list: k
	threads int
	groups  int // runs of eight nodes that a thread holds
	levels  int // above the scores
	width   int // longest row
	tops    int // longest row of tops
	wide    int // scores that can be loaded at once
}

// More threads would have to issue more instructions and would have too few registers for keys.
const (
	run         = ref.TopRun
	mostThreads = 512
	mostGroups  = 4
)

// newDescent makes a descent for rows of index_scores; not ok when lists are too long for it.
func newDescent(count int, context int, scores codegen.OperandSpec) (d descent, ok bool) {
	d = descent{count: count, threads: 32, groups: 2, width: context, tops: scores.Width() - context, wide: vectorWidth(scores)}
	for d.capacity() < d.width && d.threads < mostThreads {
		d.threads *= 2
	}
	if d.capacity() < d.width {
		d.groups = mostGroups
	}
	for n := d.width; n > d.capacity(); n = ceilDiv(n, run) {
		d.levels++
	}
	return d, d.levels == 0 || run*count <= d.capacity()
}

// capacity is the number of nodes that the registers of a block hold.
func (d *descent) capacity() int { return d.threads * d.groups * run }

// shared returns the bytes of dynamic shared memory: the list, or candidates, which are in
// registers when it is written.
func (d *descent) shared() int {
	if !d.thins() {
		return 4 * d.count
	}
	return max(4*d.count, 2*d.candidateBytes())
}

// descending is a descent at work in a kernel.
type descending struct {
	descent
	all, some digits // of all threads, of those that search among candidates
	k         *codegen.K
	thread    codegen.I32
	told      codegen.Ptr // shared: what one thread tells the others
	rows      []scoreRow  // scores, tops
	chosen    codegen.Ptr
	least     *codegen.Var[codegen.I32] // a key that the k largest nodes are likely not to be below
	nodes     *codegen.Var[codegen.I32] // of the level that the search starts at
}

// choose writes the list of a row that has limit scores. All threads of the block call it.
func (d descent) choose(k *codegen.K, scores codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
	w := &descending{descent: d, all: newDigits(k, d.threads), k: k, thread: k.Thread(), chosen: k.Dynamic()}
	if d.thins() {
		w.some, w.told = newPartDigits(k, d.searchers()), k.Shared("told", 4)
	}
	w.rows = append(w.rows, scoreRow{scores, d.width, d.wide, limit})
	for n := 1; n <= d.levels; n++ {
		w.rows = append(w.rows, scoreRow{scores.At(d.width * f32), d.tops, d.wide, above(w.rows[n-1].limit)})
	}
	k.IfElse(limit.Le(d.count), func() {
		k.Each(w.thread, d.threads, d.count, func(i codegen.I32) {
			list.Elem(i, 4).StI32(codegen.Select(i.Lt(limit), i, k.I32(-1)))
		})
	}, func() {
		w.descend()
		k.Sync()
		k.Each(w.thread, d.threads, d.count, func(i codegen.I32) { list.Elem(i, 4).StI32(w.chosen.Elem(i, 4).LdI32()) })
	})
}

// above is the number of nodes above n nodes.
func above(n codegen.I32) codegen.I32 { return n.Add(run - 1).Shr(log2(run)) }

// descend leaves the list in chosen.
func (w *descending) descend() {
	k := w.k
	keys := codegen.Lets(w.groups*run, k.I32(0))
	under := codegen.Lets(w.groups, k.I32(0)) // whose children the keys of a group are
	level := codegen.Let(k.I32(0))
	for g := range under {
		under[g].Set(w.thread.Mul(w.groups).Add(g))
	}
	w.least, w.nodes = codegen.Let(k.I32(1)), codegen.Let(k.I32(0))
	w.start(0, level, keys, under)
	w.guess(keys[0].Get())
	w.pick(keys, under)
	if w.levels == 0 {
		return
	}
	k.While(func() codegen.Pred { return level.Get().Gt(0) }, func() {
		k.Sync()
		level.Set(level.Get().Sub(1))
		for g := range under {
			i := w.thread.Mul(w.groups).Add(g)
			node := codegen.Select(i.Lt(w.count), w.chosen.Elem(i.Min(w.count-1), 4).LdI32(), k.I32(math.MaxInt32/run))
			under[g].Set(node)
		}
		w.loadLevel(0, w.levels-1, level.Get(), keys, under)
		w.pick(keys, under)
	})
}

// start loads the lowest level, from n on, whose nodes fit.
func (w *descending) start(n int, level *codegen.Var[codegen.I32], keys, under []*codegen.Var[codegen.I32]) {
	here := func() {
		level.Set(w.k.I32(n))
		w.nodes.Set(w.rows[n].limit)
		w.load(n, keys, under)
	}
	if n == w.levels {
		here()
		return
	}
	w.k.IfElse(w.rows[n].limit.Le(w.capacity()), here, func() { w.start(n+1, level, keys, under) })
}

// loadLevel loads the level, one of n to last.
func (w *descending) loadLevel(n, last int, level codegen.I32, keys, under []*codegen.Var[codegen.I32]) {
	if n == last {
		w.load(n, keys, under)
		return
	}
	w.k.IfElse(level.Eq(n), func() { w.load(n, keys, under) }, func() { w.loadLevel(n+1, last, level, keys, under) })
}

// load sets keys to those of the children, of level n, of the nodes above: 0 where there is none.
func (w *descending) load(n int, keys, under []*codegen.Var[codegen.I32]) {
	row := &w.rows[n]
	var xs []codegen.F32
	for _, u := range under {
		xs = append(xs, w.children(n, u.Get())...)
	}
	for g, u := range under {
		for j, key := range row.keysOf(u.Get().Mul(run), xs[g*run:][:run]) {
			keys[g*run+j].Set(key)
		}
	}
}

// children loads the nodes of level n under a node. Those of the levels above tops are worked
// out.
func (w *descending) children(n int, node codegen.I32) []codegen.F32 {
	if n <= 1 {
		return w.rows[n].load(node.Mul(run), run)
	}
	k := w.k
	out := make([]codegen.F32, run)
	for j := range out {
		child := node.Mul(run).Add(j)
		most := k.F32(math.Inf(-1))
		for i, x := range w.children(n-1, child) {
			seen := child.Mul(run).Add(i).Lt(w.rows[n-1].limit)
			most = most.Max(codegen.Select(seen, x, k.F32(math.Inf(-1))))
		}
		out[j] = most
	}
	return out
}
