package kernels

import (
	"math"

	"dsac/codegen"
)

// quick is the short way down. To find the k largest of many takes a block long, as every key is
// looked at in every round of a search. So a number is guessed from a sample of the nodes of the
// first level, that a few more than k of them are likely not to be below. Those nodes go on, of
// their children again those not below it, and so on, all in the order of their positions; only
// what is left of the scores is searched. Where fewer than k nodes of a level are left, or more than
// shared memory is set apart for (many are equal, say), quick has not written the list.
func (w *descending) quick() (done codegen.Pred) {
	k := w.k
	from, to := codegen.Let(k.I32(0)), codegen.Let(k.I32(4*w.few())) // lists of candidates, in memory
	n := codegen.Let(k.I32(0))
	good := func() codegen.Pred { return n.Get().Ge(w.count).And(n.Get().Le(w.few())) }
	w.from(0)
	b := w.guess()
	groups := w.nodes.Get().Add(run - 1).Shr(log2(run))
	n.Set(w.sift(b, groups, w.memory, func(i codegen.I32) codegen.I32 { return i }))
	w.down(good, func() {
		n.Set(w.sift(b, n.Get(), w.memory.At(to.Get()), func(i codegen.I32) codegen.I32 {
			return w.memory.At(from.Get()).Elem(i.Clamp(0, w.few()-1), 4).When(i.Lt(n.Get())).LdI32()
		}))
		now := from.Get()
		from.Set(to.Get())
		to.Set(now)
	})
	k.Sync()
	k.If(good(), func() { w.finish(w.memory.At(from.Get()), n.Get()) })
	return good()
}

// small chooses from few scores.
func (w *descending) small() {
	first := w.thread.Mul(w.each)
	keys := w.rows[0].keysOf(first, w.rows[0].load(first, w.each))
	threshold, quota := w.among(keys, first.Lt(w.rows[0].limit))
	w.emit(w.list, w.count, keys, w.k.Bool(true), func(j int) codegen.I32 { return first.Add(j) }, threshold, quota, w.k.I32(0), w.k.I32(0))
}

// from sets the level to start at: the lowest, from n on, that is looked at in a few turns;
// nodes above tops, which have to be worked out, only where there is no other way.
func (w *descending) from(n int) {
	turns := 2
	if n > 0 {
		turns = 8
	}
	here := func() {
		w.level.Set(w.k.I32(n))
		w.nodes.Set(w.rows[n].limit)
	}
	if n == w.levels {
		here()
		return
	}
	w.k.IfElse(w.rows[n].limit.Le(turns*w.capacity()), here, func() { w.from(n + 1) })
}

// sift lists the children that are not below bar of n nodes of the level above, and returns how
// many there are. Warps without nodes have little to do.
func (w *descending) sift(b bar, n codegen.I32, list codegen.Ptr, node func(i codegen.I32) codegen.I32) codegen.I32 {
	k := w.k
	left := codegen.Let(k.I32(0))
	k.For(0, n, w.threads*w.groups, func(first codegen.I32) {
		stay := codegen.Let(k.I32(0))
		mine := first.Add(w.thread.Mul(w.groups))
		k.If(mine.Lt(n), func() {
			for g, u := range w.under {
				i := mine.Add(g)
				u.Set(codegen.Select(i.Lt(n), node(i), k.I32(math.MaxInt32/run)))
			}
			w.atLevel(w.levels, w.load)
			stay.Set(w.standing(b))
		})
		before, total := w.scan(stay.Get().Popc())
		k.If(left.Get().Add(total).Le(w.few()), func() { w.note(stay, list, left.Get().Add(before)) })
		left.Set(left.Get().Add(total))
	})
	return left.Get()
}

// bar is a score that nodes must not be below to go on.
type bar struct {
	x   codegen.F32
	all codegen.I32 // -1: all go on, numbers that are none among them, which count as minus infinity
}

// newBar makes a bar from a key, which may be of a number that is none: nothing is below.
func newBar(key codegen.I32) bar {
	k := codegen.KernelOf(key)
	least := key.UMax(minusInfinity)
	return bar{floatOf(least), codegen.Select(least.Eq(minusInfinity), k.I32(-1), k.I32(0))}
}

// standing has a bit for each place that this thread holds a node in that is not below the bar.
func (w *descending) standing(b bar) codegen.I32 { return w.valid().And(b.passes(w.held)) }

// passes has a bit for each number that is not below the bar.
func (b *bar) passes(xs []*codegen.Var[codegen.F32]) codegen.I32 {
	stay := b.all
	k := codegen.KernelOf(stay)
	for j, x := range xs {
		stay = stay.Or(codegen.Select(x.Get().Ge(b.x), k.I32(1<<j), k.I32(0)))
	}
	return stay
}

// note puts the nodes in these places on a list, from a slot on.
func (w *descending) note(places *codegen.Var[codegen.I32], list codegen.Ptr, slot codegen.I32) {
	k := w.k
	at := codegen.Let(slot)
	k.While(func() codegen.Pred { return places.Get().Ne(0) }, func() {
		left := places.Get()
		j := k.I32(31).Sub(left.And(left.Neg()).Clz())
		node := w.under[0].Get().Mul(run).Add(j)
		for g, u := range w.under[1:] {
			first := run * (g + 1)
			node = codegen.Select(j.Lt(first), node, u.Get().Mul(run).Sub(first).Add(j))
		}
		list.Elem(at.Get().Clamp(0, w.few()-1), 4).StI32(node)
		at.Set(at.Get().Add(1))
		places.Set(left.And(left.Sub(1)))
	})
}

// few is the number of candidates that a list has room for.
func (d *descent) few() int { return d.each * d.threads }

// guesses says whether candidates are likely to be fewer than nodes, and enough.
func (d *descent) guesses() bool { return d.width > d.few() && 2*d.few() >= 3*d.count }

// sampled is the number of nodes of a sample that a thread has. The fewer nodes of all are wanted,
// the more it takes to guess well.
func (d *descent) sampled() int {
	if d.tops > 2*d.capacity() {
		return d.each
	}
	return 2
}

// guess returns a number that the k largest nodes are likely not to be below. Few scores need none:
// all of them go on.
func (w *descending) guess() bar {
	k := w.k
	sampled := w.sampled()
	least := codegen.Let(k.I32(1)) // the key of a number that is none: nothing is below
	k.If(w.nodes.Get().Gt(w.few()), func() {
		xs := codegen.Lets(sampled, k.F32(0))
		w.atLevel(w.levels, func(n int) {
			for j, x := range xs {
				at := w.thread.Mul(sampled).Add(j).Mul(w.nodes.Get()).Shr(log2(w.threads * sampled))
				x.Set(w.value(n, at.Min(w.nodes.Get().Sub(1)))) // said for the checker
			}
		})
		least.Set(w.likely(values(xs), w.nodes.Get()))
	})
	return newBar(least.Get())
}

// likely is the key of the number that guess returns: of a sample, evenly over the nodes, the one
// of a rank three standard deviations past that at which k would be expected, or one of an eighth
// more.
func (w *descending) likely(sample []codegen.F32, nodes codegen.I32) codegen.I32 {
	keys := make([]codegen.I32, len(sample))
	for j, x := range sample {
		keys[j] = sortKey(x)
	}
	all := w.threads * len(sample)
	expected := w.k.F32(float64(w.count * all)).Div(nodes.F32())
	rank := expected.Add(expected.Sqrt().Mul(3)).Trunc().Add(1).Min(all)
	lo, hi := w.extremes(keys)
	return w.near(sample, keys, lo, hi, rank, rank.Shr(3))
}

// finish chooses among n scores whose positions are in a list. Warps that have none only wait.
func (w *descending) finish(list codegen.Ptr, n codegen.I32) {
	k := w.k
	keys, at := codegen.Lets(w.each, k.I32(0)), codegen.Lets(w.each, k.I32(0))
	mine := w.thread.Mul(w.each)
	some := mine.Lt(n)
	k.If(some, func() {
		for j := range keys {
			i := mine.Add(j)
			at[j].Set(list.Elem(i, 4).When(i.Lt(n)).LdI32())
			keys[j].Set(codegen.Select(i.Lt(n), sortKey(w.value(0, at[j].Get())), k.I32(0)))
		}
	})
	threshold, quota := w.among(values(keys), some)
	w.emit(w.list, w.count, values(keys), k.Bool(true), func(j int) codegen.I32 { return at[j].Get() }, threshold, quota, k.I32(0), k.I32(0))
}

func values[T codegen.I32 | codegen.F32](vars []*codegen.Var[T]) []T {
	xs := make([]T, len(vars))
	for i, v := range vars {
		xs[i] = v.Get()
	}
	return xs
}
