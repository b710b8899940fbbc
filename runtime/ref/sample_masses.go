package ref

// sampleMasses: op sample_masses. Operands: logits[R,V], params, mask u8[V], hist i32[V], peaks
// u64 per block, masses u64 per bucket, which grow.
func sampleMasses(c *Call) {
	s := c.sampling(c.Args[3].I32)
	if s == nil {
		return
	}
	masses := c.numbers(5)
	s.Masses(c.lastLogits(), c.numbers(4), masses)
	c.setNumbers(5, masses)
}
