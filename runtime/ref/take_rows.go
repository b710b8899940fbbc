package ref

// takeRows: y = the last min(R, n) live rows of x. When R is x's own row count, row t goes to
// row t; with R = 1 the last live row goes to row 0. Operands: x[T,c], y[R,c].
func takeRows(c *Call) {
	x, y := &c.Args[0], &c.Args[1]
	count := min(y.Rows, c.N)
	first := c.N - count
	if y.Rows == x.Rows {
		first = 0
	}
	for i := range count {
		c.write(1, i, c.read(0, first+i))
	}
}
