package repack

// 16-bit floats: the four words of a step are the A operand itself, 16 bytes a lane.
func pack16(dst []byte, src *rows) {
	each(false, 1, func(_, s, lane, a, e int, _ func(*grid) *byte) {
		r, k := at(false, 0, s, lane, a, e)
		copy(dst[512*s+16*lane+4*a+2*e:][:2], src[r][2*k:])
	})
}

func unpack16(dst *rows, src []byte) {
	each(false, 1, func(_, s, lane, a, e int, _ func(*grid) *byte) {
		r, k := at(false, 0, s, lane, a, e)
		copy(dst[r][2*k:], src[512*s+16*lane+4*a+2*e:][:2])
	})
}

// IQ4_XS: after the codes the first 8 bytes of each row's block (d, scales), rows g and g+8
// next to each other.
func packIQ4XS(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 256 {
			g[r][k] = b[8+k>>5*16+k&15] >> (k >> 4 & 1 * 4) & 15
		}
		copy(dst[2048+r&7*16+r>>3*8:][:8], b)
	}
	g.putNibbles(dst, true, 4, linearShift)
}

func unpackIQ4XS(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, linearShift)
	for r, b := range dst {
		for k := range 256 {
			b[8+k>>5*16+k&15] |= g[r][k] << (k >> 4 & 1 * 4)
		}
		copy(b[:8], src[2048+r&7*16+r>>3*8:])
	}
}
