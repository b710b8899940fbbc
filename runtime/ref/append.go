package ref

// appendRows: state[pos+t] = x[t]. Operands: x[T,c], state[C,c]; writes rows pos..pos+n-1.
func appendRows(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		c.write(1, c.Pos+t, c.read(0, t))
	}
}
