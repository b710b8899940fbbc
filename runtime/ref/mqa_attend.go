package ref

// mqaAttend is attention in the absorbed form (docs/spec/glm-dsa.md section 2.2): one key and
// value row per position, shared by all heads. For each query row t and head h, over the
// positions s of sel[t] up to the first -1:
//
//	score = scale * (qa[t][h] . c_s + qp[t][h] . k_s), p = softmax(score), u = sum p * c_s
//
// where a latent row is c (R elements) followed by k (P elements).
// Operands: qa[T,H,R], qp[T,H,P] (may be a column selection), latent[C,R+P], sel i32[T,k],
// u[T,H,R].
func mqaAttend(c *Call) {
	scale := c.Attrs.Float("scale")
	sel := &c.Args[3]
	heads, rank := c.Args[0].Inner(), c.Args[0].Cols
	for t := c.Lo; t < c.Hi; t++ {
		list := sel.I32[t*sel.Width:][:sel.Width]
		list = list[:Visible(list)]
		p := c.Work.F64(0, sel.Width)[:len(list)]
		for i := t * heads; i < (t+1)*heads; i++ {
			qa, qp := c.read(0, i), c.read(1, i)
			for j, s := range list {
				row := c.read(2, int(s))
				p[j] = scale * dotFrom(dot(qa, row[:rank]), qp, row[rank:])
			}
			Softmax(p)
			c.write(4, i, c.weighted(p, list, rank))
		}
	}
}

// weighted returns the sum of p[j] times the first rank elements of latent row list[j].
func (c *Call) weighted(p []float64, list []int32, rank int) []float32 {
	sum := c.Work.F64(1, rank)
	clear(sum)
	for j, s := range list {
		for r, v := range c.read(2, int(s))[:rank] {
			sum[r] += p[j] * float64(v)
		}
	}
	u := c.fresh(4)
	for r, v := range sum {
		u[r] = float32(v)
	}
	return u
}

// dotFrom continues a sum with the products of a and b.
func dotFrom(sum float64, a, b []float32) float64 {
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}
