package ref

// mqaValues is mqaCombine, whose result is rounded to float32, then headMatmul.
// Operands: part f16[T,n,H,R], stat f32[T,n,H,2], weight q[H,N,R], y[T,H,N].
func mqaValues(c *Call) {
	heads, n := c.Args[3].Inner(), c.Args[3].Cols
	for t := c.Lo; t < c.Hi; t++ {
		for h := range heads {
			u := c.partsJoined(t, h, c.Work.F32(4, c.Args[0].Cols))
			c.write(3, t*heads+h, c.product(u, 2, h*n, c.fresh(3)))
		}
	}
}
