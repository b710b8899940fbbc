package ref

// matmulAdd: y = x W^T + res, with the product rounded to float32 before the sum.
// Operands: x[T,K], weight q[N,K], res[T,N], y[T,N]; y may be res.
func matmulAdd(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		y := c.product(c.read(0, t), 1, 0, c.fresh(3))
		for n, r := range c.read(2, t) {
			y[n] += r
		}
		c.write(3, t, y)
	}
}
