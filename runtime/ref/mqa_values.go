package ref

// mqaValues is mqaCombine, whose result is rounded to float32, then headMatmul.
// Operands: part f32[T,n,H,R+PartTail], weight q[H,N,R], y[T,H,N].
func mqaValues(c *Call) {
	heads, n := c.Args[2].Inner(), c.Args[2].Cols
	rank := c.Args[0].Cols - PartTail
	for t := c.Lo; t < c.Hi; t++ {
		for h := range heads {
			u := c.partsJoined(t, h, c.Work.F32(3, rank))
			c.write(2, t*heads+h, c.product(u, 1, h*n, c.fresh(2)))
		}
	}
}
