package kernels

import "dsac/codegen"

// chooser finds the k largest scores of a row, by one block, exactly: of equal scores the lower
// position wins, and the list is ascending. Scores become unsigned keys that sort alike; a
// threshold is found by halving the range of keys and counting; then one pass in order of
// position lists what lies above it.
//
//	row <= k scores     all of them
//	row <= capacity     keys in registers, neighbours in a thread
//	longer              a threshold of a sample lets some more than k pass; these candidates,
//	                    kept in shared memory in order, are then a short row
//
// Where no sample gives a threshold that lets between k and capacity scores pass (many equal
// ones, say), the whole row is counted each time: slow, and still exact.
type chooser struct {
	k, width int // width: longest row
	threads  int
	each     int // keys that a thread holds
	vec      int // scores that can be loaded at once
}

// newChooser makes a chooser for rows of scores in an operand.
func newChooser(k int, row codegen.OperandSpec) chooser {
	c := chooser{k: k, width: row.Width(), threads: 32, each: 8, vec: vectorWidth(row)}
	for c.threads*c.each < c.width && c.threads < 1024 {
		c.threads *= 2
	}
	return c
}

// capacity is the length of a row that fits the registers of a block.
func (c *chooser) capacity() int { return c.threads * c.each }

// sampled says whether longer rows are thinned out first.
func (c *chooser) sampled() bool { return c.width > c.capacity() && 2*c.k <= c.capacity() }

// shared returns the bytes of dynamic shared memory: candidates.
func (c *chooser) shared() int {
	if c.sampled() {
		return 8 * c.capacity()
	}
	return 0
}

// selection is a chooser at work in a kernel.
type selection struct {
	chooser
	blockSums
	k        *codegen.K
	thread   codegen.I32
	keys, at codegen.Ptr // candidates: keys, positions
	row      codegen.Ptr
	limit    codegen.I32 // scores of the row
	list     codegen.Ptr
}

// begin reserves what choices need; dynamic is shared memory for the candidates.
func (c chooser) begin(k *codegen.K, dynamic codegen.Ptr) *selection {
	return &selection{
		chooser: c, blockSums: newBlockSums(k, c.threads), k: k, thread: k.Thread(),
		keys: dynamic, at: dynamic.At(4 * c.capacity()),
	}
}

// choose writes the list of one row of limit scores. All threads of the block call it.
func (c *selection) choose(row codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
	k := c.k
	c.row, c.limit, c.list = row, limit, list
	k.IfElse(limit.Le(c.chooser.k), c.all, func() {
		if c.width <= c.capacity() {
			c.short()
			return
		}
		k.IfElse(limit.Le(c.capacity()), c.short, func() {
			if !c.sampled() {
				c.whole()
				return
			}
			c.long()
		})
	})
}

// all lists every position, then -1.
func (c *selection) all() {
	c.k.Each(c.thread, c.threads, c.chooser.k, func(i codegen.I32) {
		c.list.Elem(i, 4).StI32(codegen.Select(i.Lt(c.limit), i, c.k.I32(-1)))
	})
}

// short chooses from keys in registers.
func (c *selection) short() {
	first := c.thread.Mul(c.each)
	keys := c.keysOf(first, c.load(first, c.each))
	c.pick(keys, first.Lt(c.limit), func(j int) codegen.I32 { return first.Add(j) })
}

// pick chooses from a key per register; position gives the place of key j in the row. Threads
// that are not busy have no keys and need not compare any.
func (c *selection) pick(keys []codegen.I32, busy codegen.Pred, position func(j int) codegen.I32) {
	lo, hi := c.extremes(keys)
	threshold, quota := c.search(lo, hi.Add(1), c.k.I32(c.chooser.k), func(mid codegen.I32) codegen.I32 {
		n := codegen.Let(c.k.I32(0))
		c.k.If(busy, func() { n.Set(atLeast(keys, mid)) })
		return c.sum(n.Get())
	})
	c.emit(keys, position, threshold, quota, c.k.I32(0), c.k.I32(0))
}

// load reads n scores from position first on; what lies past the limit means nothing.
func (c *selection) load(first codegen.I32, n int) []codegen.F32 {
	var xs []codegen.F32
	for j := 0; j < n; j += c.vec {
		p := first.Add(j)
		xs = append(xs, c.row.Elem(p.Min(c.width-c.vec), 4).When(p.Lt(c.limit)).LdF32s(c.vec)...)
	}
	return xs
}

// keysOf makes keys of scores from position first on: 0 past the limit.
func (c *selection) keysOf(first codegen.I32, xs []codegen.F32) []codegen.I32 {
	keys := make([]codegen.I32, len(xs))
	for j, x := range xs {
		keys[j] = codegen.Select(first.Add(j).Lt(c.limit), sortKey(x), c.k.I32(0))
	}
	return keys
}

// atLeast counts the keys that are not below mid.
func atLeast(keys []codegen.I32, mid codegen.I32) codegen.I32 {
	n := codegen.KernelOf(mid).I32(0)
	for _, key := range keys {
		n = n.Add(key.UGe(mid).I32())
	}
	return n
}

// search halves [lo, hi) until it knows the key of rank want: lo, of whose equals quota are to
// be taken beside all greater keys. count tells how many keys are not below one: at least want
// for lo, fewer for hi. It ends early where a key lets exactly want pass.
func (c *selection) search(lo, hi, want codegen.I32, count func(mid codegen.I32) codegen.I32) (threshold, quota codegen.I32) {
	k := c.k
	from, to, above := codegen.Let(lo), codegen.Let(hi), codegen.Let(k.I32(0))
	exact := codegen.Let(k.I32(0))
	k.While(func() codegen.Pred {
		return to.Get().Sub(from.Get()).Ne(1).And(exact.Get().Eq(0))
	}, func() {
		mid := from.Get().Add(to.Get().Sub(from.Get()).Shr(1))
		n := count(mid)
		enough := n.Ge(want)
		from.Set(codegen.Select(enough, mid, from.Get()))
		to.Set(codegen.Select(enough, to.Get(), mid))
		above.Set(codegen.Select(enough, above.Get(), n))
		exact.Set(n.Eq(want).I32())
	})
	return from.Get(), codegen.Select(exact.Get().Ne(0), want, want.Sub(above.Get()))
}

// emit lists the positions of keys greater than the threshold and, as far as the quota reaches,
// of those equal to it. above and equal count those of earlier calls; with this one's they are
// returned.
func (c *selection) emit(keys []codegen.I32, position func(j int) codegen.I32, threshold, quota, above, equal codegen.I32) (codegen.I32, codegen.I32) {
	k := c.k
	n := k.I32(0) // greater keys in the low half, equal ones in the high half
	more, same := make([]codegen.Pred, len(keys)), make([]codegen.Pred, len(keys))
	for j, key := range keys {
		more[j], same[j] = threshold.ULt(key), key.Eq(threshold)
		n = n.Add(more[j].I32()).Add(same[j].I32().Shl(16))
	}
	before, total := c.scan(n)
	a, e := above.Add(before.And(0xffff)), equal.Add(before.Shr(16))
	for j := range keys {
		rank := a.Add(e.Min(quota)).Clamp(0, c.chooser.k-1)
		c.list.Elem(rank, 4).When(more[j].Or(same[j].And(e.Lt(quota)))).StI32(position(j))
		a, e = a.Add(more[j].I32()), e.Add(same[j].I32())
	}
	return above.Add(total.And(0xffff)), equal.Add(total.Shr(16))
}
