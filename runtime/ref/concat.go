package ref

// concat: y[t] = a[t] followed by b[t]. Operands: a[T,c1], b[T,c2] (may be column
// selections), y[T,c1+c2].
func concat(c *Call) {
	lo, hi := c.span(2)
	for i := lo; i < hi; i++ {
		c.write(2, i, c.joined(i))
	}
}

// joined returns row i of operand 0 followed by row i of operand 1, in operand 2's scratch.
func (c *Call) joined(i int) []float32 {
	y := c.fresh(2)
	n := copy(y, c.read(0, i))
	copy(y[n:], c.read(1, i))
	return y
}
