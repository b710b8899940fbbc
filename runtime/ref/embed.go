package ref

// embed: y[t] = table[ids[t]]. Operands: ids i32[T], table q[V,D], y[T,D].
func embed(c *Call) {
	ids := c.Args[0].I32
	for t := c.Lo; t < c.Hi; t++ {
		c.write(2, t, c.read(1, int(ids[t])))
	}
}
