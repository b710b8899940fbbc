package ref

// gateUp: y = silu(x G^T) * (x U^T), both products rounded to float32 first
// (docs/spec/glm-dsa.md section 2.0, SwiGLU). Operands: x[T,K], gate q[N,K], up q[N,K], y[T,N].
func gateUp(c *Call) {
	up := c.Work.F32(len(c.Args), c.Args[3].Cols)
	for t := c.Lo; t < c.Hi; t++ {
		x := c.read(0, t)
		y := c.product(x, 1, 0, c.fresh(3))
		c.product(x, 2, 0, up)
		for n := range y {
			y[n] = SiluMul(y[n], up[n])
		}
		c.write(3, t, y)
	}
}
