package ref

// addRow: y[t] = x[t] + bias. Operands: x[T,c], bias[c], y[T,c].
func addRow(c *Call) {
	bias := c.read(1, 0)
	lo, hi := c.span(0)
	for i := lo; i < hi; i++ {
		x, y := c.read(0, i), c.fresh(2)
		for j, v := range x {
			y[j] = v + bias[j]
		}
		c.write(2, i, y)
	}
}
