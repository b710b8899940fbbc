package ref

// expertMatmul: y[t][i] = x W_e^T with expert e = idx[t][i]; x is one row per token, or one
// per token and slot. Operands: x[T,K] or [T,k,K], weight q[E,N,K], idx i32[T,k], y[T,k,N].
func expertMatmul(c *Call) {
	slots := c.Args[3].Inner()
	for i := c.Lo * slots; i < c.Hi*slots; i++ {
		c.write(3, i, c.expertRow(i, slots, 1, 2, c.fresh(3)))
	}
}

// expertRow fills y with the product of the row of operand 0 for token-slot pair i and the
// expert that operand idx names for it, in the weight of operand w.
func (c *Call) expertRow(i, slots, w, idx int, y []float32) []float32 {
	row := i
	if len(c.Args[0].Shape) == 2 {
		row = i / slots
	}
	return c.product(c.read(0, row), w, int(c.Args[idx].I32[i])*len(y), y)
}
