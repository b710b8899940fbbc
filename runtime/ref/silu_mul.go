package ref

import "math"

// siluMul: y = silu(a) * b, silu(a) = a / (1 + exp(-a)). Operands: a, b, y of the same shape.
func siluMul(c *Call) { c.zip(SiluMul) }

// SiluMul returns silu(a)*b, rounded once.
func SiluMul(a, b float32) float32 {
	x := float64(a)
	return float32(x / (1 + math.Exp(-x)) * float64(b))
}

// zip applies f element by element to operands 0 and 1 into operand 2.
func (c *Call) zip(f func(a, b float32) float32) {
	lo, hi := c.span(2)
	for i := lo; i < hi; i++ {
		a, b, y := c.read(0, i), c.read(1, i), c.fresh(2)
		for j := range y {
			y[j] = f(a[j], b[j])
		}
		c.write(2, i, y)
	}
}
