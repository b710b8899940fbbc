package kernels

import (
	"math"

	"dsac/codegen"
)

// long chooses from a row that does not fit the registers: candidates first.
func (c *selection) long() {
	k := c.k
	n := c.thin()
	k.IfElse(c.enough(n), func() {
		keys, at := c.candidates(n)
		c.pick(keys, c.thread.Mul(c.each).Lt(n), func(j int) codegen.I32 { return at[j] })
	}, c.whole)
}

// candidates loads this thread's of n candidates: zeros past the last.
func (c *selection) candidates(n codegen.I32) (keys, at []codegen.I32) {
	k := c.k
	pad := n.Add(c.thread) // the last vector is read as a whole
	k.If(c.thread.Lt(3).And(pad.Lt(c.capacity())), func() {
		c.keys.Elem(pad, 4).StI32(k.I32(0))
		c.at.Elem(pad, 4).StI32(k.I32(0))
	})
	k.Sync()
	for j := 0; j < c.each; j += 4 {
		i := c.thread.Mul(c.each).Add(j)
		keys = append(keys, c.keys.Elem(i, 4).When(i.Lt(n)).LdI32s(4)...)
		at = append(at, c.at.Elem(i, 4).When(i.Lt(n)).LdI32s(4)...)
	}
	return keys, at
}

// enough says whether n candidates hold the k largest, and fit.
func (c *selection) enough(n codegen.I32) codegen.Pred {
	return n.Ge(c.chooser.k).And(n.Le(c.capacity()))
}

// thin collects the scores that are not below a threshold and returns how many there are. It
// takes the threshold from a sample of the row, such that the number is likely to lie between k
// and the capacity, and tries others when that goes wrong.
func (c *selection) thin() codegen.I32 {
	const tries = 4
	k := c.k
	sample := c.sample()
	lo, hi := c.extremes(sample)
	size := c.capacity() / 2
	aim := int(math.Sqrt(float64(c.chooser.k) * float64(c.capacity())))
	want := codegen.Let(k.I32(aim * size).UDiv(c.limit).Add(2).Min(size / 2))
	try, n := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	k.While(func() codegen.Pred {
		return try.Get().Lt(tries).And(c.enough(n.Get()).Not())
	}, func() {
		tau, _ := c.search(lo, hi, want.Get(), func(look func([]codegen.I32)) { look(sample) })
		// Numbers that are none count as minus infinity, but do not compare like it.
		n.Set(codegen.Select(k.I32(minusInfinity).ULt(tau), c.collect(tau), k.I32(0)))
		few := n.Get().Lt(c.chooser.k)
		want.Set(codegen.Select(few, want.Get().Shl(1).Min(size), want.Get().Shr(1).Max(1)))
		try.Set(try.Get().Add(1))
	})
	return n.Get()
}

// sample takes keys from all over the row, half as many as the registers hold.
func (c *selection) sample() []codegen.I32 {
	const run = 4 // neighbours
	var keys []codegen.I32
	vectors := c.limit.Shr(log2(run))
	for i := range c.each / 2 / run {
		v := c.thread.Add(i * c.threads).I64().Mul(vectors.I64()).UDiv(c.capacity() / 2 / run).I32()
		first := v.Mul(run).Clamp(0, c.width-run)
		keys = append(keys, c.keysOf(first, c.load(first, run))...)
	}
	return keys
}

// rounds runs body over the row in order, capacity scores at a time; the loads of a round are
// under way while the one before is worked on.
func (c *selection) rounds(body func(first codegen.I32, xs []codegen.F32)) {
	next := make([]*codegen.Var[codegen.F32], c.each)
	for j, x := range c.load(c.thread.Mul(c.each), c.each) {
		next[j] = codegen.Let(x)
	}
	c.k.For(0, c.limit, c.capacity(), func(base codegen.I32) {
		first := base.Add(c.thread.Mul(c.each))
		xs := make([]codegen.F32, c.each)
		for j := range xs {
			xs[j] = next[j].Get()
		}
		for j, x := range c.load(first.Add(c.capacity()), c.each) {
			next[j].Set(x)
		}
		body(first, xs)
	})
}

// collect writes the candidates, scores whose keys are not below tau, to shared memory in the
// order of their positions, as many as fit, and returns how many there are. Few pass: a thread
// marks its own in a word and then goes from mark to mark.
func (c *selection) collect(tau codegen.I32) codegen.I32 {
	k := c.k
	least := floatOf(tau)
	n := codegen.Let(k.I32(0))
	c.rounds(func(first codegen.I32, xs []codegen.F32) {
		marks := k.I32(0)
		for j, x := range xs {
			marks = marks.Or(codegen.Select(x.Ge(least), k.I32(1<<j), k.I32(0)))
		}
		in := c.limit.Sub(first).Clamp(0, c.each)
		marks = marks.And(k.I32(1).Shl(in).Sub(1))
		before, total := c.scan(marks.Popc())
		left, at := codegen.Let(marks), codegen.Let(n.Get().Add(before))
		k.While(func() codegen.Pred { return left.Get().Ne(0) }, func() {
			j := k.I32(31).Sub(left.Get().And(k.I32(0).Sub(left.Get())).Clz())
			p := first.Add(j).Clamp(0, c.width-1)
			slot, fits := at.Get().Min(c.capacity()-1), at.Get().Lt(c.capacity())
			c.keys.Elem(slot, 4).When(fits).StI32(sortKey(c.row.Elem(p, 4).LdF32()))
			c.at.Elem(slot, 4).When(fits).StI32(p)
			left.Set(left.Get().And(left.Get().Sub(1)))
			at.Set(at.Get().Add(1))
		})
		n.Set(n.Get().Add(total))
	})
	return n.Get()
}

// whole chooses by histograms of the whole row.
func (c *selection) whole() {
	k := c.k
	lo, hi := codegen.Let(k.I32(-1)), codegen.Let(k.I32(0))
	c.rounds(func(first codegen.I32, xs []codegen.F32) {
		for _, key := range c.keysOf(first, xs) {
			lo.Set(lo.Get().UMin(key.Sub(1)))
			hi.Set(hi.Get().UMax(key))
		}
	})
	least, most := c.extremes([]codegen.I32{lo.Get().Add(1), hi.Get()})
	threshold, quota := c.search(least, most, k.I32(c.chooser.k), func(look func([]codegen.I32)) {
		c.rounds(func(first codegen.I32, xs []codegen.F32) { look(c.keysOf(first, xs)) })
	})
	above, equal := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	c.rounds(func(first codegen.I32, xs []codegen.F32) {
		a, e := c.emit(c.list, c.chooser.k, c.keysOf(first, xs), k.Bool(true), func(j int) codegen.I32 { return first.Add(j) }, threshold, quota, above.Get(), equal.Get())
		above.Set(a)
		equal.Set(e)
	})
}
