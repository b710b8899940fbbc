package ref

// expertDownAdd is expert_down plus res, with float32 between.
// Operands: h[T,k,K], weight q[E,N,K], idx i32[T,k], g[T,k], res[T,N], out[T,N]; out may be
// res.
func expertDownAdd(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		out := c.downRow(t, c.fresh(5))
		for n, r := range c.read(4, t) {
			out[n] += r
		}
		c.write(5, t, out)
	}
}
