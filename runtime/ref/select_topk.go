package ref

// selectTopk lists, in ascending order, the k positions s <= pos+t with the largest scores; of
// equal scores the lower position wins; -1 after the end. See indexTopk.
// Operands: scores f32[T,C+n] as index_scores makes them, sel i32[T,k].
func selectTopk(c *Call) {
	k, sel := c.Attrs.Int("k"), &c.Args[1]
	for t := c.Lo; t < c.Hi; t++ {
		row := c.read(0, t)
		c.largest(row[:min(len(row), c.Pos+t+1)], sel.I32[t*sel.Width:][:sel.Width], k)
	}
}
