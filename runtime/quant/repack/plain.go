package repack

// 16-bit floats: the four words of a step are the A operand itself, 16 bytes a lane.
func pack16(dst []byte, src *rows) {
	const half = 0xffffffff
	for g := range 8 {
		x, y := src[g][:128], src[g+8][:128]
		for i := range 16 { // half runs: of run i>>1, which is lane i>>1&3's
			x, y := load(x[8*i:]), load(y[8*i:])
			out := dst[(i>>3*2+i&1)*512+16*(4*g+i>>1&3):][:16]
			store(out, x&half|y<<32)
			store(out[8:], x>>32|y&^half)
		}
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
	for g := range 8 {
		x, y := src[g][:136], src[g+8][:136]
		for run := range 8 {
			for c := range 2 { // chunk c in the low nibbles, c+2 in the high ones
				x, y := load(x[8+16*run+8*c:]), load(y[8+16*run+8*c:])
				out := dst[512*c+16*(4*g+run&3)+run>>2*8:]
				store(out, weaveLinear(x&low4, y&low4))
				store(out[1024:], weaveLinear(x>>4&low4, y>>4&low4))
			}
		}
		store(dst[2048+16*g:], load(x))
		store(dst[2048+16*g+8:], load(y))
	}
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
