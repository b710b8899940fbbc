package kernels

import "dsac/codegen"

// chooser finds the k largest scores of a row, by one block, exactly: of equal scores the lower
// position wins, and the list is ascending. Scores become unsigned keys that sort alike; a
// threshold is found by histograms; then one pass in order of position lists what lies above it.
//
//	row <= k scores     all of them
//	row <= capacity     keys in registers, neighbours in a thread
//	longer              a threshold of a sample lets some more than k pass; these candidates,
//	                    kept in shared memory in order, are then a short row
//
// Where no sample gives a threshold that lets between k and capacity scores pass (many equal
// ones, say), each histogram is one of the whole row: slower, and still exact.
type chooser struct {
	k, width int // width: longest row
	threads  int
	each     int // keys that a thread holds
	wide     int // scores that can be loaded at once
}

// newChooser makes a chooser for rows of scores in an operand.
func newChooser(k, width int, row codegen.OperandSpec) chooser {
	c := chooser{k: k, width: width, threads: 32, each: 8, wide: vectorWidth(row)}
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
	digits
	scoreRow
	k        *codegen.K
	keys, at codegen.Ptr // candidates: keys, positions
	list     codegen.Ptr
}

// begin reserves what choices need; dynamic is shared memory for the candidates.
func (c chooser) begin(k *codegen.K, dynamic codegen.Ptr) *selection {
	return &selection{
		chooser: c, digits: newDigits(k, c.threads), k: k,
		keys: dynamic, at: dynamic.At(4 * c.capacity()),
	}
}

// choose writes the list of one row of limit scores. All threads of the block call it.
func (c *selection) choose(row codegen.Ptr, limit codegen.I32, list codegen.Ptr) {
	k := c.k
	c.scoreRow, c.list = scoreRow{row, c.width, c.wide, limit}, list
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
	threshold, quota := c.search(lo, hi, c.k.I32(c.chooser.k), func(look func([]codegen.I32)) {
		c.k.If(busy, func() { look(keys) })
	})
	c.emit(c.list, c.chooser.k, keys, c.k.Bool(true), position, threshold, quota, c.k.I32(0), c.k.I32(0))
}
