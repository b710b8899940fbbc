package ref

// slice: y = x[..., off:off+c]. Operands: x[T,..,w], y[T,..,c].
func slice(c *Call) {
	off := c.Attrs.Int("off")
	lo, hi := c.span(1)
	for i := lo; i < hi; i++ {
		c.write(1, i, c.read(0, i)[off:][:c.Args[1].Cols])
	}
}
