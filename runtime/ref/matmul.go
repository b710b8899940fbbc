package ref

// matmul: y[t][n] = sum over k of x[t][k] * weight[n][k].
// Operands: x[T,K] (may be a column selection), weight q[N,K], y[T,N].
func matmul(c *Call) {
	for t := c.Lo; t < c.Hi; t++ {
		c.write(2, t, c.product(c.read(0, t), 1, 0, c.fresh(2)))
	}
}

// product fills y with the products of x and rows first, first+1, ... of the weight in
// operand k. Products of float32 are exact in float64, so only the order of the sum matters.
func (c *Call) product(x []float32, k, first int, y []float32) []float32 {
	for n := range y {
		y[n] = float32(dot(x, c.read(k, first+n)))
	}
	return y
}

// dot sums a[i]*b[i] in index order.
func dot(a, b []float32) float64 {
	var sum float64
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}
