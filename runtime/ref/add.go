package ref

// add: y = a + b. Operands: a, b, y of the same shape.
func add(c *Call) { c.zip(func(a, b float32) float32 { return a + b }) }
