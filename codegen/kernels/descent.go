package kernels

import (
	"math"

	"dsac/codegen"
	"dsac/ir/ops"
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
// equal ones the lowest. The k largest nodes of the level below are among their children. Say
// that the smallest node chosen is x. Each node above x has a child above x, and all children
// above x lie under such nodes. Where these are fewer than k, the lowest children equal to x are
// wanted too, at most as many as nodes equal to x were chosen; each of these has one. So a level
// has 8k candidates at most, whatever the scores are.
//
// That is exact, and slow; most rows need only a part of it, see quick.
type descent struct {
	count   int // of the list: k
	threads int
	groups  int // runs of eight nodes that a thread holds
	each    int // candidates that a thread holds
	levels  int // above the scores
	width   int // longest row
	tops    int // longest row of tops
	wide    int // scores that can be loaded at once
}

// More threads would have to issue more instructions and would have too few registers for keys.
const (
	run         = ops.TopRun // children of a node
	mostThreads = 1024
	mostGroups  = 2
)

// newDescent makes a descent for rows of index_scores; not ok when lists are too long for it.
func newDescent(count int, context int, scores codegen.OperandSpec) (d descent, ok bool) {
	d = descent{count: count, threads: 32, groups: 1, each: 4, width: context, tops: scores.Width() - context, wide: vectorWidth(scores)}
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

// shared returns the bytes of dynamic shared memory: the list, or two lists of candidates.
func (d *descent) shared() int {
	if !d.guesses() {
		return 4 * d.count * min(d.levels, 1)
	}
	return 4 * max(d.count, 2*d.few())
}

// descending is a descent at work in a kernel.
type descending struct {
	descent
	digits
	k      *codegen.K
	list   codegen.Ptr
	memory codegen.Ptr // shared: nodes chosen
	rows   []scoreRow  // by level; from the second on those of tops
	level  *codegen.Var[codegen.I32]
	nodes  *codegen.Var[codegen.I32]   // of the level
	under  []*codegen.Var[codegen.I32] // nodes above, whose children this thread holds
	held   []*codegen.Var[codegen.F32] // these children
}

// begin reserves what choices need.
func (d descent) begin(k *codegen.K, scores codegen.Ptr, limit codegen.I32, list codegen.Ptr) *descending {
	w := &descending{
		descent: d, digits: newDigits(k, d.threads), k: k, list: list, memory: k.Dynamic(),
		level: codegen.Let(k.I32(0)), nodes: codegen.Let(k.I32(0)),
		under: codegen.Lets(d.groups, k.I32(0)), held: codegen.Lets(d.groups*run, k.F32(0)),
	}
	w.rows = append(w.rows, scoreRow{scores, d.width, d.wide, limit})
	for n := 1; n <= d.levels; n++ {
		above := w.rows[n-1].limit.Add(run - 1).Shr(log2(run))
		w.rows = append(w.rows, scoreRow{scores.At(d.width * f32), d.tops, d.wide, above})
	}
	return w
}

// choose writes the list of a row that has limit scores. All threads of the block call it.
func (d descent) choose(k *codegen.K, scores codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
	w := d.begin(k, scores, limit, list)
	k.IfElse(limit.Le(d.count), w.all, func() {
		if !d.guesses() {
			w.descend()
			return
		}
		k.IfElse(limit.Le(d.few()), w.small, func() { k.If(w.quick().Not(), w.descend) })
	})
}

// all lists every position, then -1.
func (w *descending) all() {
	w.k.Each(w.thread, w.threads, w.count, func(i codegen.I32) {
		w.list.Elem(i, 4).StI32(codegen.Select(i.Lt(w.rows[0].limit), i, w.k.I32(-1)))
	})
}

// descend writes the list, whatever the scores are.
func (w *descending) descend() {
	k := w.k
	w.start(0)
	if w.levels == 0 {
		w.pick(w.list)
		return
	}
	w.pick(w.memory)
	w.down(func() codegen.Pred { return k.Bool(true) }, func() {
		w.above()
		w.atLevel(w.levels-1, w.load)
		w.pick(w.memory)
	})
	k.Sync()
	k.Each(w.thread, w.threads, w.count, func(i codegen.I32) { w.list.Elem(i, 4).StI32(w.memory.Elem(i, 4).LdI32()) })
}

// down runs body for each level below, as long as ok holds.
func (w *descending) down(ok func() codegen.Pred, body func()) {
	if w.levels == 0 {
		return
	}
	w.k.While(func() codegen.Pred { return w.level.Get().Gt(0).And(ok()) }, func() {
		w.k.Sync() // the list of the level above is written
		w.level.Set(w.level.Get().Sub(1))
		body()
	})
}

// above makes this thread's nodes those that were chosen.
func (w *descending) above() {
	for g, u := range w.under {
		i := w.k.Thread().Mul(w.groups).Add(g)
		node := w.memory.Elem(i.Min(w.count-1), 4).LdI32()
		u.Set(codegen.Select(i.Lt(w.count), node, w.k.I32(math.MaxInt32/run)))
	}
}

// pick lists the k largest of the nodes that the block holds.
func (w *descending) pick(list codegen.Ptr) {
	k := w.k
	valid := w.valid()
	keys := make([]codegen.I32, len(w.held))
	for j, x := range w.held {
		keys[j] = codegen.Select(valid.Field(j, 1).Ne(0), sortKey(x.Get()), k.I32(0))
	}
	threshold, quota := w.among(keys, valid.Ne(0))
	w.emit(list, w.count, keys, k.Bool(true), w.place, threshold, quota, k.I32(0), k.I32(0))
}

// among finds the key of rank k of those that threads hold; some only wait.
func (w *descending) among(keys []codegen.I32, busy codegen.Pred) (threshold, quota codegen.I32) {
	lo, hi := w.extremes(keys)
	return w.search(lo, hi, w.k.I32(w.count), func(look func([]codegen.I32)) { w.k.If(busy, func() { look(keys) }) })
}

// start loads the lowest level, from n on, whose nodes fit.
func (w *descending) start(n int) {
	here := func() {
		w.level.Set(w.k.I32(n))
		for g, u := range w.under {
			u.Set(w.thread.Mul(w.groups).Add(g))
		}
		w.load(n)
	}
	if n == w.levels {
		here()
		return
	}
	w.k.IfElse(w.rows[n].limit.Le(w.capacity()), here, func() { w.start(n + 1) })
}

// atLevel runs body for the level, which is at most last.
func (w *descending) atLevel(last int, body func(n int)) {
	if last == 0 {
		body(0)
		return
	}
	w.k.IfElse(w.level.Get().Eq(last), func() { body(last) }, func() { w.atLevel(last-1, body) })
}

// load makes this thread hold the children, of level n, of its nodes.
func (w *descending) load(n int) {
	w.nodes.Set(w.rows[n].limit)
	for g, u := range w.under {
		for j, x := range w.children(n, u.Get()) {
			w.held[g*run+j].Set(x)
		}
	}
}

// children loads the nodes of level n under a node; those past the last mean nothing.
func (w *descending) children(n int, node codegen.I32) []codegen.F32 {
	if n <= 1 {
		return w.rows[n].load(node.Mul(run), run)
	}
	most := codegen.Lets(run, w.k.F32(math.Inf(-1)))
	w.k.For(0, run, 1, func(i codegen.I32) {
		for j, m := range most {
			m.Set(m.Get().Max(w.seen(n-1, node.Mul(run).Add(j).Mul(run).Add(i))))
		}
	})
	out := make([]codegen.F32, run)
	for j, m := range most {
		out[j] = m.Get()
	}
	return out
}

// value loads a node of level n. Those of the levels above tops are worked out.
func (w *descending) value(n int, node codegen.I32) codegen.F32 {
	if n <= 1 {
		row := &w.rows[n]
		return row.row.Elem(node.Clamp(0, row.most-1), f32).LdF32()
	}
	most := codegen.Let(w.k.F32(math.Inf(-1)))
	w.k.For(0, run, 1, func(i codegen.I32) { most.Set(most.Get().Max(w.seen(n-1, node.Mul(run).Add(i)))) })
	return most.Get()
}

// seen is value, minus infinity past the last node.
func (w *descending) seen(n int, node codegen.I32) codegen.F32 {
	return codegen.Select(node.Lt(w.rows[n].limit), w.value(n, node), w.k.F32(math.Inf(-1)))
}

// valid has a bit for each place that this thread holds a node in.
func (w *descending) valid() codegen.I32 {
	word := w.k.I32(0)
	for g, u := range w.under {
		in := w.nodes.Get().Sub(u.Get().Mul(run)).Clamp(0, run)
		word = word.Or(w.k.I32(1).Shl(in).Sub(1).Shl(run * g))
	}
	return word
}

// place is the number of the node in place j.
func (w *descending) place(j int) codegen.I32 { return w.under[j/run].Get().Mul(run).Add(j % run) }
