package ref

import "math"

// mqaCombine joins what mqaPartial wrote, parts in order.
// Operands: part f16[T,n,H,R], stat f32[T,n,H,2], u[T,H,R].
func mqaCombine(c *Call) {
	heads := c.Args[0].Shape[2]
	for t := c.Lo; t < c.Hi; t++ {
		for h := range heads {
			c.write(2, t*heads+h, c.partsJoined(t, h, c.fresh(2)))
		}
	}
}

// partsJoined fills u with the parts of row t and head h, operands 0 and 1, joined.
func (c *Call) partsJoined(t, h int, u []float32) []float32 {
	a := &c.Args[0]
	n, heads := a.Shape[1], a.Shape[2]
	top := math.Inf(-1)
	for i := range n {
		top = max(top, float64(c.read(1, (t*n+i)*heads+h)[0]))
	}
	sum := c.Work.F64(0, len(u))
	clear(sum)
	var total float64
	for i := range n {
		stat := c.read(1, (t*n+i)*heads+h)
		if stat[1] == 0 {
			continue
		}
		f := float64(math.Exp(float64(stat[0])-top) * float64(stat[1]))
		total += f
		for r, v := range c.read(0, (t*n+i)*heads+h) {
			sum[r] += float64(f * float64(v))
		}
	}
	for r, v := range sum {
		u[r] = float32(v / total)
	}
	return u
}
