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
	for lane := range 32 {
		g, t := lane>>2, lane&3
		var v uint64
		for a := range 4 {
			sc, m := sixBits(src[g+a&1*8][4:16], t+a>>1*4)
			v |= uint64(sc)<<(6*a) | uint64(m)<<(24+6*a)
		}
		half := src[g+t>>1*8][2*(t&1):]
		v |= uint64(binary.LittleEndian.Uint16(half)) << 48
		binary.LittleEndian.PutUint64(dst[8*lane:], v)
	}
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

// codes45 reads the codes of file blocks whose nibbles start at byte qs, fifth bits at qh
// (none when 0): byte l of 32 holds groups 2p and 2p+1.
func codes45(g *grid, src *rows, qh, qs int) {
	for r, b := range src {
		for k := range 256 {
			j, l := k>>5, k&31
			g[256*r+k] = b[qs+j>>1*32+l] >> (4 * (j & 1)) & 15
			if qh > 0 {
				g[256*r+k] |= b[qh+l] >> j & 1 << 4
			}
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
	var g grid
	codes45(&g, src, 0, 16)
	g.putNibbles(dst, true, 4, &nibbleShift)
	putScales45(dst[2048:], src)
}

func unpackQ4K(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, &nibbleShift)
	putCodes45(dst, &g, 0, 16)
	scales45(dst, src[2048:])
}

func packQ5K(dst []byte, src *rows) {
	var g grid
	codes45(&g, src, 16, 48)
	g.putNibbles(dst, true, 4, &nibbleShift)
	g.putBit5(dst[2048:], true, 4)
	putScales45(dst[2560:], src)
}

func unpackQ5K(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, true, 4, &nibbleShift)
	g.bit5(src[2048:], true, 4)
	putCodes45(dst, &g, 16, 48)
	scales45(dst, src[2560:])
}
