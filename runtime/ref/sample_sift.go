package ref

// sampleSift: op sample_sift. Operands: logits[R,V], params, mask u8[V], hist i32[V], peaks u64
// per block, masses u64 per bucket, kept u64[1+blocks, SampleKept], list u64[blocks, SampleBlock].
func sampleSift(c *Call) {
	s := c.sampling(c.Args[3].I32)
	if s == nil {
		return
	}
	kept, list := c.numbers(6), c.numbers(7)
	s.Sift(c.lastLogits(), c.numbers(4), c.numbers(5), kept, list)
	c.setNumbers(6, kept)
	c.setNumbers(7, list)
}
