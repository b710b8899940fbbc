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
	linear := t.shift == &linearShift
	for g := range 8 {
		x, y := src[g], src[g+8]
		for h := range 2 {
			// Byte j has columns of run j>>3 in its low nibble, of two runs on in its high one.
			at := h*t.size + t.codes()
			for run := range 2 {
				x, y := load(x[at+8*run:]), load(y[at+8*run:])
				out := dst[16*(4*g+run)+8*h:]
				if linear {
					store(out, weaveLinear(x&low4, y&low4))
					store(out[32:], weaveLinear(x>>4&low4, y>>4&low4))
				} else {
					store(out, weaveHalf(x&low4, y&low4))
					store(out[32:], weaveHalf(x>>4&low4, y>>4&low4))
				}
			}
		}
	}
	at := 512
	if t.high > 0 {
		t.packHigh(dst[at:], src)
		at += 128
	}
	packHeads(dst[at:], src, t.size, t.heads)
}

// packHigh stores the fifth bits: one word a lane, by HighBit. A run has one byte of them.
func (t block32) packHigh(dst []byte, src *rows) {
	for lane := range 32 {
		x, y := src[lane>>2][t.high+lane&3:], src[lane>>2+8][t.high+lane&3:]
		putWord(dst, lane, spreadBits[x[t.size]]|spreadBits[x[0]]<<4|spreadBits[y[0]]<<8|spreadBits[y[t.size]]<<12)
	}
}

func (t block32) unpack(dst *rows, src []byte) {
	var g grid
	g.nibbles(src, false, 1, t.shift)
	at := 512
	if t.high > 0 {
		g.bit(src[at:], false, 1, 4)
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

// packHeads moves the first n bytes of each block; n is 1, 2 or 4.
func packHeads(dst []byte, src *rows, size, n int) {
	for g := range 8 {
		x, y := src[g], src[g+8]
		out := dst[4*g*n:][:4*n]
		switch n {
		case 1:
			out[0], out[1], out[2], out[3] = x[0], y[0], x[size], y[size]
		case 2:
			a := uint64(half(x)) | uint64(half(y))<<16
			store(out, a|uint64(half(x[size:]))<<32|uint64(half(y[size:]))<<48)
		case 4:
			store(out, uint64(word(x, 0))|uint64(word(y, 0))<<32)
			store(out[8:], uint64(word(x[size:], 0))|uint64(word(y[size:], 0))<<32)
		default:
			panic("BUG: a block's head has 1, 2 or 4 bytes")
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
	const flip, even = 0x8080808080808080, 0x0000ffff0000ffff
	for g := range 8 {
		x, y := src[g][:68], src[g+8][:68]
		for run := range 8 { // lane run&3; the second block after the first
			at := 34*(run>>2) + 2 + 8*(run&3)
			x, y := load(x[at:])^flip, load(y[at:])^flip
			out := dst[run>>2*512+16*(4*g+run&3):][:16]
			xl, yl, xh, yh := x&0xffffffff, y&0xffffffff, x>>32, y>>32
			store(out, (xl|xl<<16)&even|(yl|yl<<16)&even<<16)
			store(out[8:], (xh|xh<<16)&even|(yh|yh<<16)&even<<16)
		}
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
