package ref

// router chooses the experts of each row and their weights: sigmoid, add_row (the bias counts
// for the choice only), group_mask, topk, gate_weights, with float32 between
// (docs/spec/glm-dsa.md section 2.4). Operands: z[T,E], bias[E], idx i32[T,k], g[T,k].
func router(c *Call) {
	k, idx := c.Attrs.Int("k"), &c.Args[2]
	experts := c.Args[0].Cols
	p, choice := c.Work.F32(len(c.Args)+1, experts), c.Work.F32(len(c.Args)+2, experts)
	bias := c.read(1, 0)
	for t := c.Lo; t < c.Hi; t++ {
		for e, z := range c.read(0, t) {
			p[e] = logistic(z)
			choice[e] = p[e] + bias[e]
		}
		c.maskGroups(choice)
		list := idx.I32[t*idx.Width:][:idx.Width]
		c.largest(choice, list, k)
		c.write(3, t, c.gates(p, list, c.fresh(3)))
	}
}
