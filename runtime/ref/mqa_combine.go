package ref

import "math"

// mqaCombine joins what mqaPartial wrote, parts in order.
// Operands: part f32[T,n,H,R+PartTail], u[T,H,R].
func mqaCombine(c *Call) {
	heads := c.Args[0].Shape[2]
	for t := c.Lo; t < c.Hi; t++ {
		for h := range heads {
			c.write(1, t*heads+h, c.partsJoined(t, h, c.fresh(1)))
		}
	}
}

// partsJoined fills u with the parts of row t and head h of operand 0, joined.
func (c *Call) partsJoined(t, h int, u []float32) []float32 {
	a := &c.Args[0]
	n, heads, rank := a.Shape[1], a.Shape[2], a.Cols-PartTail
	top := math.Inf(-1)
	for i := range n {
		top = max(top, float64(c.read(0, (t*n+i)*heads+h)[rank]))
	}
	sum := c.Work.F64(0, rank)
	clear(sum)
	var total float64
	for i := range n {
		part := c.read(0, (t*n+i)*heads+h)
		if part[rank+1] == 0 {
			continue
		}
		f := math.Exp(float64(part[rank]) - top)
		total += float64(f * float64(part[rank+1]))
		for r, v := range part[:rank] {
			sum[r] += float64(f * float64(v))
		}
	}
	for r, v := range sum {
		u[r] = float32(v / total)
	}
	return u
}
