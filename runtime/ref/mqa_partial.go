package ref

// PartTail is what a row of mqa_partial has behind its sums: the largest score, the sum of
// weights, and zeros, so that rows are aligned to 32 bytes, the sectors of device memory.
const PartTail = 8

// mqaPartial is mqaAttend over parts of each list, so that parts can run apart: part i of n
// holds list entries [i*len, (i+1)*len) with len = ceil(k/n). For each row, part and head it
// writes the sums of exp(score-m)*c_s, then m, the largest score, then the sum of exp(score-m).
// An empty part has zeros and m = minus infinity.
// Operands: qa[T,H,R], qp[T,H,P], latent[C,R+P], sel i32[T,k], part f32[T,n,H,R+PartTail].
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
	out := c.fresh(4)
	for r, v := range sum {
		out[r] = float32(v)
	}
	clear(out[rank:])
	out[rank], out[rank+1] = float32(top), float32(total)
	c.write(4, (t*n+i)*heads+h, out)
}
