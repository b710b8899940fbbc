package ref

// sampleDraw: op sample_draw, the end of a choice whose other parts came before. Operands:
// logits[R,V], params, mask u8[V], peaks, kept and list, hist i32[V], token as in op sample.
func sampleDraw(c *Call) {
	hist := c.Args[6].I32
	s := c.sampling(hist)
	if s == nil {
		return
	}
	id, err := s.Draw(c.lastLogits(), c.numbers(3), c.numbers(4), c.numbers(5), uint64(c.Len))
	c.drawn(7, hist, id, err)
}
