package repack

// Q6_K. After nibbles and high bits come 8 bytes a lane: at byte 4h+i the int8 scale of half
// h of 32 columns, i = 0..3 as for Q4_K: rows g and g+8 of group t, then of group t+4; then two halves per g: d of rows g and g+8.

// q6 finds the nibble and the high bits of column k in a file block.
func q6(k int) (lo, loShift, hi, hiShift int) {
	n, t, l := k>>7, k>>5&3, k&31
	return 64*n + 32*(t&1) + l, t >> 1 * 4, 128 + 32*n + l, 2 * t
}

func packQ6K(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 256 {
			lo, ls, hi, hs := q6(k)
			g[256*r+k] = b[lo]>>ls&15 | b[hi]>>hs&3<<4
		}
	}
	g.putNibbles(dst, true, 4, &nibbleShift)
	g.putPair6(dst[2048:])
	for lane := range 32 {
		for a := range 4 {
			for h := range 2 {
				dst[3072+8*lane+4*h+a] = src[lane>>2+a&1*8][192+2*(lane&3+a>>1*4)+h]
			}
		}
	}
	for r, b := range src {
		copy(dst[3328+r&7*4+r>>3*2:][:2], b[208:210])
	}
}

func unpackQ6K(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, &nibbleShift)
	g.pair6(src[2048:])
	for r, b := range dst {
		for k := range 256 {
			lo, ls, hi, hs := q6(k)
			b[lo] |= g[256*r+k] & 15 << ls
			b[hi] |= g[256*r+k] >> 4 << hs
		}
	}
	for lane := range 32 {
		for a := range 4 {
			for h := range 2 {
				dst[lane>>2+a&1*8][192+2*(lane&3+a>>1*4)+h] = src[3072+8*lane+4*h+a]
			}
		}
	}
	for r, b := range dst {
		copy(b[208:210], src[3328+r&7*4+r>>3*2:])
	}
}
