package repack

// 16-bit floats: the four words of a step are the A operand itself, 16 bytes a lane.
func pack16(dst []byte, src *rows) {
	for i, at := range order[0] {
		copy(dst[2*i:][:2], src[at>>8][2*(at&255):])
	}
}

func unpack16(dst *rows, src []byte) {
	for i, at := range order[0] {
		copy(dst[at>>8][2*(at&255):][:2], src[2*i:])
	}
}

// IQ4_XS: after the codes the first 8 bytes of each row's block (d, scales), rows g and g+8
// next to each other.
func packIQ4XS(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 256 {
			g[256*r+k] = b[8+k>>5*16+k&15] >> (k >> 4 & 1 * 4) & 15
		}
		copy(dst[2048+r&7*16+r>>3*8:][:8], b)
	}
	g.putNibbles(dst, true, 4, &linearShift)
}

func unpackIQ4XS(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, &linearShift)
	for r, b := range dst {
		for k := range 256 {
			b[8+k>>5*16+k&15] |= g[256*r+k] << (k >> 4 & 1 * 4)
		}
		copy(b[:8], src[2048+r&7*16+r>>3*8:])
	}
}
