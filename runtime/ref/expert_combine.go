package ref

// expertCombine: out[t] = sum over slots i of g[t][i] * y[t][i], in slot order, which is
// ascending expert id. Operands: y[T,k,N], g[T,k], out[T,N].
func expertCombine(c *Call) {
	slots := c.Args[0].Inner()
	for t := c.Lo; t < c.Hi; t++ {
		sum := c.Work.F64(0, c.Args[2].Cols)
		clear(sum)
		for i, g := range c.read(1, t) {
			for n, v := range c.read(0, t*slots+i) {
				sum[n] += float64(g) * float64(v)
			}
		}
		out := c.fresh(2)
		for n, v := range sum {
			out[n] = float32(v)
		}
		c.write(2, t, out)
	}
}
