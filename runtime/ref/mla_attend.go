package ref

// mlaAttend is attention in the expanded form (docs/spec/glm-dsa.md section 2.2): every
// position has a key and a value per head, made from its latent row c_s.
//
//	score = scale * (q_nope . (W^K_h c_s) + q_pe . k_s), p = softmax(score)
//	o     = sum over s of p * (W^V_h c_s)
//
// k_b holds W^K_h transposed, [H][R][nope]. Operands: q[T,H,nope+P], latent[C,R+P],
// k_b q[H,R,nope], v_b q[H,V,R], sel i32[T,k], o[T,H,V].
func mlaAttend(c *Call) {
	const latent, keyB, valueB, list, out = 1, 2, 3, 4, 5
	scale, nope := c.Attrs.Float("scale"), c.Attrs.Int("nope")
	heads, vdim := c.Args[0].Inner(), c.Args[out].Cols
	rank := c.Args[valueB].Cols
	for t := c.Lo; t < c.Hi; t++ {
		sel := c.Args[list].I32[t*c.Args[list].Width:][:c.Args[list].Width]
		sel = sel[:Visible(sel)]
		p := c.Work.F64(0, c.Args[list].Width)[:len(sel)]
		for h := range heads {
			q := c.read(0, t*heads+h)
			for j, s := range sel {
				row := c.read(latent, int(s))
				key := c.Work.F64(1, nope)
				clear(key)
				for r, v := range row[:rank] {
					for d, w := range c.read(keyB, h*rank+r) {
						key[d] += float64(v) * float64(w)
					}
				}
				var score float64
				for d, k := range key {
					score += float64(float64(q[d]) * k)
				}
				p[j] = scale * dotFrom(score, q[nope:], row[rank:])
			}
			Softmax(p)
			sum := c.Work.F64(2, vdim)
			clear(sum)
			for j, s := range sel {
				row := c.read(latent, int(s))[:rank]
				for v := range sum {
					sum[v] += float64(p[j] * dot(row, c.read(valueB, h*vdim+v)))
				}
			}
			o := c.fresh(out)
			for v, e := range sum {
				o[v] = float32(e)
			}
			c.write(out, t*heads+h, o)
		}
	}
}
