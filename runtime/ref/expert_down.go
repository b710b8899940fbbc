package ref

// expertDown is expert_matmul followed by expert_combine, with float32 between.
// Operands: h[T,k,K], weight q[E,N,K], idx i32[T,k], g[T,k], out[T,N].
func expertDown(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		c.write(4, t, c.downRow(t, c.fresh(4)))
	}
}

func (c *Call) downRow(t int, out []float32) []float32 {
	slots := c.Args[0].Inner()
	sum := c.Work.F64(0, len(out))
	clear(sum)
	y := c.Work.F32(len(c.Args), len(out))
	for i, g := range c.read(3, t) {
		c.expertRow(t*slots+i, slots, 1, 2, y)
		for n, v := range y {
			sum[n] += float64(g) * float64(v)
		}
	}
	for n, v := range sum {
		out[n] = float32(v)
	}
	return out
}
