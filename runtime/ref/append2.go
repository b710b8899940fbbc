package ref

// append2: state[pos+t] = a[t] followed by b[t]. Operands: a[T,c1], b[T,c2] (may be column
// selections), state[C,c1+c2].
func append2(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		c.write(2, c.Pos+t, c.joined(t))
	}
}
