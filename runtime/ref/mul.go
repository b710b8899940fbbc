package ref

// mul: y = a * b, element by element. Operands: a, b, y of the same shape.
func mul(c *Call) { c.zip(func(a, b float32) float32 { return a * b }) }
