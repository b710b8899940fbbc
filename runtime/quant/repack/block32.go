package repack

// Types with blocks of 32 columns; a unit has two blocks of each row. The bytes of a block
// that are not codes (scale, minimum) follow the codes: for each g those of
// rows g and g+8 of the first block, then of the second.

// block32 describes blocks whose byte j has column j in its low nibble, j+16 in its high one.
type block32 struct {
	size  int // bytes of a block
	heads int // bytes of scale and minimum at its start
	high  int // where the 32 fifth bits are; 0 = there are none
	shift *[8]int
}

var (
	pack4  = block32{size: 18, heads: 2, shift: &linearShift}
	pack41 = block32{size: 20, heads: 4, shift: &nibbleShift}
	pack50 = block32{size: 22, heads: 2, high: 2, shift: &nibbleShift}
	pack51 = block32{size: 24, heads: 4, high: 4, shift: &nibbleShift}
	packMX = block32{size: 17, heads: 1, shift: &linearShift}
)

// codes returns where the codes of a block start.
func (t block32) codes() int { return t.size - 16 }

func (t block32) pack(dst []byte, src *rows) {
	var g grid
	for r, b := range src {
		for k := range 64 {
			blk, j := b[k>>5*t.size:], k&31
			g[256*r+k] = blk[t.codes()+j&15] >> (j >> 4 * 4) & 15
			if t.high > 0 {
				g[256*r+k] |= blk[t.high+j>>3] >> (j & 7) & 1 << 4
			}
		}
	}
	g.putNibbles(dst, false, 1, t.shift)
	at := 512
	if t.high > 0 {
		g.putBit5(dst[at:], false, 1)
		at += 128
	}
	packHeads(dst[at:], src, t.size, t.heads)
}

func (t block32) unpack(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, false, 1, t.shift)
	at := 512
	if t.high > 0 {
		g.bit5(src[at:], false, 1)
		at += 128
	}
	for r, b := range dst {
		for k := range 64 {
			blk, j := b[k>>5*t.size:], k&31
			blk[t.codes()+j&15] |= g[256*r+k] & 15 << (j >> 4 * 4)
			if t.high > 0 {
				blk[t.high+j>>3] |= g[256*r+k] >> 4 << (j & 7)
			}
		}
	}
	unpackHeads(dst, src[at:], t.size, t.heads)
}

// packHeads moves the first n bytes of each block.
func packHeads(dst []byte, src *rows, size, n int) {
	for g := range 8 {
		for a := range 4 {
			copy(dst[(4*g+a)*n:][:n], src[g+a&1*8][a>>1*size:])
		}
	}
}

func unpackHeads(dst *rows, src []byte, size, n int) {
	for g := range 8 {
		for a := range 4 {
			copy(dst[g+a&1*8][a>>1*size:], src[(4*g+a)*n:][:n])
		}
	}
}

// Q8_0: a lane's eight codes of a step are two words, those of places 0 and 1, then 2 and 3,
// each byte 128 more than the code. Two steps are 16 bytes.

func q8Byte(i int) int { return i>>9*512 + i>>3&31*16 + i>>8&1*8 + i&7 }

func packQ8_0(dst []byte, src *rows) {
	for i, at := range order[0] {
		k := int(at & 255)
		dst[q8Byte(i)] = src[at>>8][k>>5*34+2+k&31] ^ 0x80
	}
	packHeads(dst[1024:], src, 34, 2)
}

func unpackQ8_0(dst *rows, src []byte) {
	for i, at := range order[0] {
		k := int(at & 255)
		dst[at>>8][k>>5*34+2+k&31] = src[q8Byte(i)] ^ 0x80
	}
	unpackHeads(dst, src[1024:], 34, 2)
}
