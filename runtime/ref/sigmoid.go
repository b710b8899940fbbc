package ref

import "math"

// sigmoid: y = 1 / (1 + exp(-x)). Operands: x, y of the same shape.
func sigmoid(c *Call) {
	lo, hi := c.span(0)
	for i := lo; i < hi; i++ {
		y := c.fresh(1)
		for j, v := range c.read(0, i) {
			y[j] = logistic(v)
		}
		c.write(1, i, y)
	}
}

func logistic(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }
