package repack

// Q2_K and Q3_K. First the two low bits of all codes, arranged as the high bits of Q6_K.
//
// Q2_K: then 8 bytes a lane, a scale in the low and a minimum in the high nibble of each, in the
// order of Q6_K's scales; then for each g d and dmin of row g and of row g+8.
//
// Q3_K: then the third bits, arranged as the fifth of Q5_K. Of the 6-bit scales, which are of
// 16 columns each, a lane has the low nibbles: for row g, then g+8, a byte for each half of 32
// columns, groups t and t+4 of columns in its nibbles. The bytes with their high bits stay as
// they are, four of row g and four of row g+8 for each g; then d of both.

func packQ2K(dst []byte, src *rows) {
	for g := range 8 {
		x, y := src[g][:84], src[g+8][:84]
		packPairs23(dst, x[16:], y[16:], g)
		packScales6(dst[1024+32*g:], x, y)
		store(dst[1280+8*g:], uint64(word(x[80:], 0))|uint64(word(y[80:], 0))<<32)
	}
}

func packQ3K(dst []byte, src *rows) {
	packHigh5(dst[1024:], src, 0)
	for g := range 8 {
		x, y := src[g][:110], src[g+8][:110]
		packPairs23(dst, x[32:], y[32:], g)
		for t := range 4 {
			putWord(dst[1536+16*g:], t, uint32(half(x[96+2*t:]))|uint32(half(y[96+2*t:]))<<16)
		}
		store(dst[1664+8*g:], uint64(word(x[104:], 0))|uint64(word(y[104:], 0))<<32)
		putWord(dst[1728:], g, uint32(half(x[108:]))|uint32(half(y[108:]))<<16)
	}
}

// packPairs23 stores the 64 bytes of low bits of rows g and g+8.
func packPairs23(dst, x, y []byte, g int) {
	for c := range 4 {
		for h := range 2 {
			packPairs(dst[4*pairWord(c, 4*g, h):], load(x[32*h+8*c:]), load(y[32*h+8*c:]))
		}
	}
}

// putPairs23 is the inverse for the bytes from qs on.
func putPairs23(dst *rows, g *grid, qs int) {
	for r, b := range dst {
		for k := range 256 {
			b[qs+k>>7*32+k&31] |= g[256*r+k] & 3 << (k >> 5 & 3 * 2)
		}
	}
}

func unpackQ2K(dst *rows, src []byte) {
	var g grid
	g.pairs(src, 0)
	putPairs23(dst, &g, 16)
	unpackScales6(dst, src[1024:], 0)
	for r, b := range dst {
		copy(b[80:84], src[1280+r&7*8+r>>3*4:])
	}
}

func unpackQ3K(dst *rows, src []byte) {
	var g grid
	g.pairs(src, 0)
	g.bit(src[1024:], true, 4, 2)
	putPairs23(dst, &g, 32)
	for r, b := range dst {
		for k := range 256 {
			b[k&31] |= g[256*r+k] >> 2 << (k >> 5)
		}
		for t := range 4 {
			copy(b[96+2*t:][:2], src[1536+r&7*16+4*t+r>>3*2:])
		}
		copy(b[104:108], src[1664+r&7*8+r>>3*4:])
		copy(b[108:110], src[1728+r&7*4+r>>3*2:])
	}
}
