package ref

// indexTopk chooses the positions that each query row may attend to (docs/spec/glm-dsa.md
// section 2.3): the k positions s <= pos+t with the largest
//
//	score = scale * sum over heads i of w[t][i] * max(q[t][i] . keys[s], 0)
//
// Scores are rounded to float32 before they are compared; of equal scores the lower position
// wins. The list is ascending, -1 after its end. While pos+t+1 <= k it is all positions.
// Operands: q[T,I,d], w[T,I], keys[C,d], sel i32[T,k], scratch scores f32[B,C].
func indexTopk(c *Call) {
	k := c.Attrs.Int("k")
	sel, scores := &c.Args[3], &c.Args[4]
	for t := c.Lo; t < c.Hi; t++ {
		limit := c.Pos + t + 1
		row := scores.F32[t%scores.Rows*scores.Width:][:limit]
		c.score(t, row)
		c.largest(row, sel.I32[t*sel.Width:][:sel.Width], k)
	}
}
