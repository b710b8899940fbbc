package ref

// expertGateUp: y[t][i] = silu(x G_e^T) * (x U_e^T) with expert e = idx[t][i], products
// rounded to float32 first. Operands: x[T,K] or [T,k,K], gate q[E,N,K], up q[E,N,K],
// idx i32[T,k], y[T,k,N].
func expertGateUp(c *Call) {
	slots := c.Args[4].Inner()
	up := c.Work.F32(len(c.Args), c.Args[4].Cols)
	for i := c.Lo * slots; i < c.Hi*slots; i++ {
		y := c.expertRow(i, slots, 1, 3, c.fresh(4))
		c.expertRow(i, slots, 2, 3, up)
		for n := range y {
			y[n] = SiluMul(y[n], up[n])
		}
		c.write(4, i, y)
	}
}
