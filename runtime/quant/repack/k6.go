package repack

// Q6_K. After nibbles and high bits come 8 bytes a lane: at byte 4h+i the int8 scale of half
// h of 32 columns, i = 0..3 as for Q4_K: rows g and g+8 of group t, then of group t+4; then two halves per g: d of rows g and g+8.

// q6 finds the nibble and the high bits of column k in a file block.
func q6(k int) (lo, loShift, hi, hiShift int) {
	n, t, l := k>>7, k>>5&3, k&31
	return 64*n + 32*(t&1) + l, t >> 1 * 4, 128 + 32*n + l, 2 * t
}

func packQ6K(dst []byte, src *rows) {
	for g := range 8 {
		x, y := src[g][:210], src[g+8][:210]
		for h := range 2 {
			packRuns6(dst, x, y, g, h)
		}
		packScales6(dst[3072+32*g:], x[192:], y[192:])
		copy(dst[3328+4*g:][:2], x[208:])
		copy(dst[3330+4*g:][:2], y[208:])
	}
}

// packRuns6 stores the codes of columns 128h .. 128h+127 of rows g and g+8, runs 4h .. 4h+3 of
// each chunk: half h of the lanes' words.
func packRuns6(dst, x, y []byte, g, h int) {
	lo, hi := x[64*h:][:64], x[128+32*h:][:32]
	loY, hiY := y[64*h:][:64], y[128+32*h:][:32]
	for c := range 4 {
		for t := range 2 { // run t in the low nibbles, t+2 in the high ones
			x, y := load(lo[32*t+8*c:]), load(loY[32*t+8*c:])
			out := dst[512*c+16*(4*g+t)+8*h:][:40]
			store(out, weaveHalf(x&low4, y&low4))
			store(out[32:], weaveHalf(x>>4&low4, y>>4&low4))
		}
		packPairs(dst[2048+4*pairWord(c, 4*g, h):], load(hi[8*c:]), load(hiY[8*c:]))
	}
}

// packPairs stores two bits of the codes of half a chunk, at the words of four lanes: byte i of
// x and y has column i of four runs.
func packPairs(dst []byte, x, y uint64) {
	// HighPair has the second half of a run before the first in row g.
	even, odd := evenOdd(x>>32|x<<32, y)
	out := dst[:52]
	putWord(out, 0, gather(even&low2, odd&low2, twoApart))
	putWord(out, 4, gather(even>>2&low2, odd>>2&low2, twoApart))
	putWord(out, 8, gather(even>>4&low2, odd>>4&low2, twoApart))
	putWord(out, 12, gather(even>>6&low2, odd>>6&low2, twoApart))
}

// packScales6 stores the scales of a row pair for its four lanes.
func packScales6(dst, x, y []byte) {
	x0, x4, y0, y4 := load(x), load(x[8:]), load(y), load(y[8:])
	for t := range 4 {
		s := uint(16 * t)
		a, b := x0>>s&0xffff|x4>>s&0xffff<<16, y0>>s&0xffff|y4>>s&0xffff<<16
		const even = 0x00ff00ff
		store(dst[8*t:], a&even|b&even<<8|(a>>8&even|b>>8&even<<8)<<32)
	}
}

func unpackQ6K(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, &nibbleShift)
	g.pairs(src[2048:], 4)
	for r, b := range dst {
		for k := range 256 {
			lo, ls, hi, hs := q6(k)
			b[lo] |= g[256*r+k] & 15 << ls
			b[hi] |= g[256*r+k] >> 4 << hs
		}
	}
	unpackScales6(dst, src[3072:], 192)
	for r, b := range dst {
		copy(b[208:210], src[3328+r&7*4+r>>3*2:])
	}
}

// unpackScales6 puts the scales where they start in a block, at byte `to`.
func unpackScales6(dst *rows, src []byte, to int) {
	for lane := range 32 {
		for a := range 4 {
			for h := range 2 {
				dst[lane>>2+a&1*8][to+2*(lane&3+a>>1*4)+h] = src[8*lane+4*h+a]
			}
		}
	}
}
