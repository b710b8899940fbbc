package repack

import "encoding/binary"

// Q4_K and Q5_K. The scales of a unit are 8 bytes a lane, as a little-endian number: 6-bit
// scales from bit 0, 6-bit minima from bit 24, each of row g and g+8 of group t, then of group
// t+4, and in bits 48..63 one half:
// for lanes t = 0..3 of a group d and dmin of row g, d and dmin of row g+8.

// sixBits returns scale and minimum of group j from the 12 bytes of the file form.
func sixBits(s []byte, j int) (sc, m byte) {
	if j < 4 {
		return s[j] & 63, s[j+4] & 63
	}
	return s[j+4]&15 | s[j-4]>>6<<4, s[j+4]>>4 | s[j]>>6<<4
}

// putSixBits is the inverse; s starts as zeros.
func putSixBits(s []byte, j int, sc, m byte) {
	if j < 4 {
		s[j] |= sc
		s[j+4] |= m
		return
	}
	s[j+4] |= sc&15 | m<<4
	s[j-4] |= sc >> 4 << 6
	s[j] |= m >> 4 << 6
}

func putScales45(dst []byte, src *rows) {
	for g := range 8 {
		x, y := src[g][:16], src[g+8][:16]
		xs, xm := allSixBits(x[4:])
		ys, ym := allSixBits(y[4:])
		halves := uint64(binary.LittleEndian.Uint32(x)) | uint64(binary.LittleEndian.Uint32(y))<<32
		for t := range 4 {
			s := uint(8 * t)
			v := xs>>s&63 | ys>>s&63<<6 | xs>>(s+32)&63<<12 | ys>>(s+32)&63<<18
			m := xm>>s&63 | ym>>s&63<<6 | xm>>(s+32)&63<<12 | ym>>(s+32)&63<<18
			store(dst[8*(4*g+t):], v|m<<24|halves>>(2*s)<<48)
		}
	}
}

// allSixBits is sixBits of the eight groups, one byte each.
func allSixBits(s []byte) (sc, m uint64) {
	const low6, high2 = 0x3f3f3f3f, 0x03030303
	a, b, c := uint64(word(s, 0)), uint64(word(s, 1)), uint64(word(s, 2))
	sc = a&low6 | (c&(low4&0xffffffff)|a>>6&high2<<4)<<32
	m = b&low6 | (c>>4&(low4&0xffffffff)|b>>6&high2<<4)<<32
	return sc, m
}

func scales45(dst *rows, src []byte) {
	for lane := range 32 {
		g, t := lane>>2, lane&3
		v := binary.LittleEndian.Uint64(src[8*lane:])
		for a := range 4 {
			putSixBits(dst[g+a&1*8][4:16], t+a>>1*4, byte(v>>(6*a)&63), byte(v>>(24+6*a)&63))
		}
		binary.LittleEndian.PutUint16(dst[g+t>>1*8][2*(t&1):], uint16(v>>48))
	}
}

// packCodes45 stores the nibbles of file blocks whose bytes 32p+8c .. 32p+8c+7 from qs on have
// run 2p of chunk c, in their high halves run 2p+1.
func packCodes45(dst []byte, src *rows, qs int) {
	for g := range 8 {
		x, y := src[g][qs:][:128], src[g+8][qs:][:128]
		for p := range 4 {
			for c := range 4 {
				x, y := load(x[32*p+8*c:]), load(y[32*p+8*c:])
				out := dst[512*c+16*(4*g+2*(p&1))+p>>1*8:][:24]
				store(out, weaveHalf(x&low4, y&low4))
				store(out[16:], weaveHalf(x>>4&low4, y>>4&low4))
			}
		}
	}
}

// packHigh5 stores the fifth bits: one word a lane and chunk, those of a lane together. Bit j of
// bytes 8c .. 8c+7 from byte qh of a block on is that of run j of chunk c. HighBit has run t+4
// before run t in row g, but after it in row g+8.
func packHigh5(dst []byte, src *rows, qh int) {
	for g := range 8 {
		x, y := src[g][qh:][:32], src[g+8][qh:][:32]
		for c := range 4 {
			x, y := load(x[8*c:]), load(y[8*c:])
			even, odd := evenOdd(x>>4&low4|x&low4<<4, y)
			out := dst[4*(16*g+c):][:52]
			putWord(out, 0, gather(even&twice, odd&twice, oneApart))
			putWord(out, 4, gather(even>>1&twice, odd>>1&twice, oneApart))
			putWord(out, 8, gather(even>>2&twice, odd>>2&twice, oneApart))
			putWord(out, 12, gather(even>>3&twice, odd>>3&twice, oneApart))
		}
	}
}

func putCodes45(dst *rows, g *grid, qh, qs int) {
	for r, b := range dst {
		for k := range 256 {
			j, l := k>>5, k&31
			b[qs+j>>1*32+l] |= g[256*r+k] & 15 << (4 * (j & 1))
			if qh > 0 {
				b[qh+l] |= g[256*r+k] >> 4 << j
			}
		}
	}
}

func packQ4K(dst []byte, src *rows) {
	packCodes45(dst, src, 16)
	putScales45(dst[2048:], src)
}

func unpackQ4K(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, &nibbleShift)
	putCodes45(dst, &g, 0, 16)
	scales45(dst, src[2048:])
}

func packQ5K(dst []byte, src *rows) {
	packCodes45(dst, src, 48)
	packHigh5(dst[2048:], src, 16)
	putScales45(dst[2560:], src)
}

func unpackQ5K(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, &nibbleShift)
	g.bit(src[2048:], true, 4, 4)
	putCodes45(dst, &g, 16, 48)
	scales45(dst, src[2560:])
}
