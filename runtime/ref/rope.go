package ref

import "math"

// rope rotates elements [off, off+dims) of each head row by the angle of its position and
// copies the others (docs/spec/glm-dsa.md section 2.0). style "interleaved" pairs elements
// (2i, 2i+1), style "half" pairs (i, i+dims/2). Angles are computed in float64 from exact
// integer positions. Operands: x[T,H,d] or [T,d] (may be a column selection), y of its shape.
// See yarn.go for factor, orig_ctx, beta_fast, beta_slow and mscale.
func rope(c *Call) {
	dims, off := c.Attrs.Int("dims"), c.Attrs.Int("off")
	step, second := 2, 1
	if c.Attrs.Text("style") == "half" {
		step, second = 1, dims/2
	}
	freq := c.frequencies(dims)
	mscale := 1.0
	if c.Attrs.Has("mscale") {
		mscale = c.Attrs.Float("mscale")
	}
	cos, sin := c.Work.F64(1, dims/2), c.Work.F64(2, dims/2)
	inner := c.Args[0].Inner()
	for t := c.Lo; t < c.Hi; t++ {
		for i, f := range freq {
			s, co := math.Sincos(float64(c.Pos+t) * f)
			cos[i], sin[i] = co*mscale, s*mscale
		}
		for i := t * inner; i < (t+1)*inner; i++ {
			x, y := c.read(0, i), c.fresh(1)
			copy(y, x)
			for p := range freq {
				j := off + p*step
				a, b := float64(x[j]), float64(x[j+second])
				y[j] = float32(float64(a*cos[p]) - float64(b*sin[p]))
				y[j+second] = float32(float64(a*sin[p]) + float64(b*cos[p]))
			}
			c.write(1, i, y)
		}
	}
}

// frequencies returns the angle per position of each of the dims/2 pairs: base^(-2i/dims),
// stretched by YaRN when the step asks for a factor.
func (c *Call) frequencies(dims int) []float64 {
	freq := c.Work.F64(0, dims/2)
	base := c.Attrs.Float("base")
	for i := range freq {
		freq[i] = math.Pow(base, -2*float64(i)/float64(dims))
	}
	if c.Attrs.Has("factor") && c.Attrs.Float("factor") != 1 {
		yarn(freq, base, dims, c.Attrs.Float("factor"), c.Attrs.Float("orig_ctx"),
			c.Attrs.Float("beta_fast"), c.Attrs.Float("beta_slow"))
	}
	return freq
}
