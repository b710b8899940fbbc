package ref

import "math"

// rmsnorm: y = weight * x / sqrt(mean(x^2) + eps) along the last dimension
// (docs/spec/glm-dsa.md section 2.0). Operands: x[T,..,c], weight[c], y like x.
func rmsnorm(c *Call) {
	eps := c.Attrs.Float("eps")
	weight := c.read(1, 0)
	lo, hi := c.span(0)
	for i := lo; i < hi; i++ {
		x, y := c.read(0, i), c.fresh(2)
		var sum float64
		for _, v := range x {
			sum += float64(v) * float64(v)
		}
		inv := 1 / math.Sqrt(sum/float64(len(x))+eps)
		for j, v := range x {
			y[j] = float32(float64(v) * inv * float64(weight[j]))
		}
		c.write(2, i, y)
	}
}
