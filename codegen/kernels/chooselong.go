package kernels

import (
	"math"

	"dsac/codegen"
)

// long chooses from a row that does not fit the registers: candidates first.
func (c *selection) long() {
	k := c.k
	tau, n := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	c.thin(tau, n)
	k.IfElse(c.enough(n.Get()), func() {
		keys, at := c.candidates(n.Get())
		c.pick(keys, func(j int) codegen.I32 { return at[j] })
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

// thin collects the scores that are not below a threshold tau. It takes the threshold from
// a sample of the row, such that the number of those that pass is likely to lie between k and
// the capacity, and tries others when that goes wrong.
func (c *selection) thin(tau, n *codegen.Var[codegen.I32]) {
	const tries = 4
	k := c.k
	sample := c.sample()
	lo, hi := c.extremes(sample)
	size := c.capacity() / 2
	aim := int(math.Sqrt(float64(c.chooser.k) * float64(c.capacity())))
	want := codegen.Let(k.I32(aim * size).UDiv(c.limit).Add(2).Min(size / 2))
	try := codegen.Let(k.I32(0))
	k.While(func() codegen.Pred {
		return try.Get().Lt(tries).And(c.enough(n.Get()).Not())
	}, func() {
		key, _ := c.search(lo, hi.Add(1), want.Get(), func(mid codegen.I32) codegen.I32 {
			return c.sum(atLeast(sample, mid))
		})
		tau.Set(key)
		n.Set(c.collect(key))
		few := n.Get().Lt(c.chooser.k)
		want.Set(codegen.Select(few, want.Get().Shl(1).Min(size), want.Get().Shr(1).Max(1)))
		try.Set(try.Get().Add(1))
	})
}

// sample takes scores from all over the row, half as many as the registers hold.
func (c *selection) sample() []codegen.I32 {
	const run = 4 // neighbours
	var keys []codegen.I32
	vectors := c.limit.Shr(log2(run))
	for i := range c.each / 2 / run {
		v := c.thread.Add(i * c.threads).I64().Mul(vectors.I64()).UDiv(c.capacity() / 2 / run).I32()
		keys = append(keys, c.loadN(v.Mul(run).Clamp(0, c.width-run), run)...)
	}
	return keys
}

// rounds runs body over the row in order, capacity scores at a time; the loads of a round are
// under way while the one before is worked on.
func (c *selection) rounds(body func(first codegen.I32, keys []codegen.I32)) {
	next := make([]*codegen.Var[codegen.I32], c.each)
	for j, key := range c.load(c.thread.Mul(c.each)) {
		next[j] = codegen.Let(key)
	}
	c.k.For(0, c.limit, c.capacity(), func(base codegen.I32) {
		first := base.Add(c.thread.Mul(c.each))
		keys := make([]codegen.I32, c.each)
		for j := range keys {
			keys[j] = next[j].Get()
		}
		for j, key := range c.load(first.Add(c.capacity())) {
			next[j].Set(key)
		}
		body(first, keys)
	})
}

// collect writes the candidates, keys that are not below tau, to shared memory in the order of
// their positions, as many as fit, and returns how many there are.
func (c *selection) collect(tau codegen.I32) codegen.I32 {
	n := codegen.Let(c.k.I32(0))
	c.rounds(func(first codegen.I32, keys []codegen.I32) {
		before, total := c.scan(atLeast(keys, tau))
		at := n.Get().Add(before)
		for j, key := range keys {
			pass := key.UGe(tau)
			keep := pass.And(at.Lt(c.capacity()))
			slot := at.Min(c.capacity() - 1)
			c.keys.Elem(slot, 4).When(keep).StI32(key)
			c.at.Elem(slot, 4).When(keep).StI32(first.Add(j))
			at = at.Add(pass.I32())
		}
		n.Set(n.Get().Add(total))
	})
	return n.Get()
}

// whole chooses by counting the whole row for c.each key that is tried.
func (c *selection) whole() {
	k := c.k
	lo, hi := codegen.Let(k.I32(-1)), codegen.Let(k.I32(0))
	c.rounds(func(_ codegen.I32, keys []codegen.I32) {
		for _, key := range keys {
			lo.Set(lo.Get().UMin(key.Sub(1)))
			hi.Set(hi.Get().UMax(key))
		}
	})
	least, most := c.extremes([]codegen.I32{lo.Get().Add(1), hi.Get()})
	threshold, quota := c.search(least, most.Add(1), k.I32(c.chooser.k), func(mid codegen.I32) codegen.I32 {
		n := codegen.Let(k.I32(0))
		c.rounds(func(_ codegen.I32, keys []codegen.I32) { n.Set(n.Get().Add(atLeast(keys, mid))) })
		return c.sum(n.Get())
	})
	above, equal := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	c.rounds(func(first codegen.I32, keys []codegen.I32) {
		a, e := c.emit(keys, func(j int) codegen.I32 { return first.Add(j) }, threshold, quota, above.Get(), equal.Get())
		above.Set(a)
		equal.Set(e)
	})
}
