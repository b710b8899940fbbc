package ref

// samplePeaks: op sample_peaks. Operands: logits[R,V], params, mask u8[V], hist i32[V], peaks
// u64 per block, masses u64 per bucket.
func samplePeaks(c *Call) {
	s := c.sampling(c.Args[3].I32)
	if s == nil {
		return
	}
	peaks := c.numbers(4)
	s.Peaks(c.lastLogits(), peaks)
	c.setNumbers(4, peaks)
	clear(c.Args[5].Data)
}
