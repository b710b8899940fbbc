package ref

import "math"

// mqaPartial is mqaAttend over parts of each list, so that parts can run apart: part i of n
// holds list entries [i*len, (i+1)*len) with len = ceil(k/n). For each row, part and head it
// writes the mean of c_s with weights exp(score-m), and m, the largest score, with the sum of the
// weights. An empty part has zeros and m = minus infinity.
// Operands: qa[T,H,R], qp[T,H,P], latent[C,R+P], sel i32[T,k], part f16[T,n,H,R], stat f32[T,n,H,2].
func mqaPartial(c *Call) {
	scale, n := c.Attrs.Float("scale"), c.Attrs.Int("splits")
	sel := &c.Args[3]
	heads, rank := c.Args[0].Inner(), c.Args[0].Cols
	size := (sel.Width + n - 1) / n
	for t := c.Lo; t < c.Hi; t++ {
		list := sel.I32[t*sel.Width:][:sel.Width]
		list = list[:Visible(list)]
		for i := range n {
			lo := min(i*size, len(list))
			part := list[lo:min(lo+size, len(list))]
			for h := range heads {
				c.part(t, i, h, part, scale, rank, n, heads)
			}
		}
	}
}

func (c *Call) part(t, i, h int, list []int32, scale float64, rank, n, heads int) {
	qa, qp := c.read(0, t*heads+h), c.read(1, t*heads+h)
	p := c.Work.F64(0, len(list)+1)[:len(list)]
	for j, s := range list {
		row := c.read(2, int(s))
		p[j] = scale * dotFrom(dot(qa, row[:rank]), qp, row[rank:])
	}
	top, total := Exponentials(p)
	sum := c.Work.F64(1, rank)
	clear(sum)
	for j, s := range list {
		for r, v := range c.read(2, int(s))[:rank] {
			sum[r] += p[j] * float64(v)
		}
	}
	out, stat := c.fresh(4), c.fresh(5)
	for r, v := range sum {
		out[r] = float32(v / max(total, math.SmallestNonzeroFloat64))
	}
	stat[0], stat[1] = float32(top), float32(total)
	c.write(4, (t*n+i)*heads+h, out)
	c.write(5, (t*n+i)*heads+h, stat)
}
