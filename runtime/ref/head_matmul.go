package ref

// headMatmul: y[t][h][n] = sum over k of x[t][h][k] * weight[h][n][k], a product per head.
// Operands: x[T,H,K] (may be a column selection), weight q[H,N,K], y[T,H,N].
func headMatmul(c *Call) {
	heads, n := c.Args[0].Inner(), c.Args[2].Cols
	for t := c.Lo; t < c.Hi; t++ {
		for h := range heads {
			i := t*heads + h
			c.write(2, i, c.product(c.read(0, i), 1, h*n, c.fresh(2)))
		}
	}
}
