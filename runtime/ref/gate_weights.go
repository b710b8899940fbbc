package ref

// gateWeights: g = p[idx], with norm divided by max(sum of g, floor), times scale
// (docs/spec/glm-dsa.md section 2.4). Operands: p[T,E], idx i32[T,k], g[T,k].
func gateWeights(c *Call) {
	idx := &c.Args[1]
	for t := c.Lo; t < c.Hi; t++ {
		c.write(2, t, c.gates(c.read(0, t), idx.I32[t*idx.Width:][:idx.Width], c.fresh(2)))
	}
}

func (c *Call) gates(p []float32, idx []int32, g []float32) []float32 {
	factor := c.Attrs.Float("scale")
	if c.Attrs.Int("norm") != 0 {
		var sum float64
		for _, e := range idx {
			sum += float64(p[e])
		}
		factor /= max(sum, c.Attrs.Float("floor"))
	}
	for i, e := range idx {
		g[i] = float32(float64(p[e]) * factor)
	}
	return g
}
