package ref

import "math"

// layernorm: y = weight * (x - mean) / sqrt(var + eps) + bias with the biased variance
// (docs/spec/glm-dsa.md section 2.0). Operands: x[T,c], weight[c], bias[c], y[T,c].
func layernorm(c *Call) {
	eps := c.Attrs.Float("eps")
	weight, bias := c.read(1, 0), c.read(2, 0)
	lo, hi := c.span(0)
	for i := lo; i < hi; i++ {
		x, y := c.read(0, i), c.fresh(3)
		var sum, squares float64
		for _, v := range x {
			sum += float64(v)
		}
		mean := sum / float64(len(x))
		for _, v := range x {
			d := float64(v) - mean
			squares += float64(d * d)
		}
		inv := 1 / math.Sqrt(squares/float64(len(x))+eps)
		for j, v := range x {
			n := float64((float64(v) - mean) * inv * float64(weight[j]))
			y[j] = float32(n + float64(bias[j]))
		}
		c.write(3, i, y)
	}
}
