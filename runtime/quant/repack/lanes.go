package repack

import "encoding/binary"

// Eight codes at a time. Rows g and g+8 of a tile give the lane 4g+t the eight columns of one
// run each: x and y below, column i of the run in byte i. Every move of a bit is then a mask
// and a shift of a 64-bit word; at (place.go) says where the bits have to go.

const (
	low4  = 0x0f0f0f0f0f0f0f0f // the low nibble of each byte
	low2  = 0x0303030303030303 // bits 0 and 1 of each byte
	twice = 0x1111111111111111 // bits 0 and 4 of each byte
)

func half(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func store(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }

// weaveHalf puts the nibbles of a run into two words of a lane, those of two steps, by
// nibbleShift: byte i is column i of both rows, the middle bytes of each word exchanged. The
// nibbles of x and y are in the low halves of their bytes.
func weaveHalf(x, y uint64) uint64 { return swapMiddle(x | y<<4) }

// weaveLinear does the same by linearShift: pairs of columns share a byte, row g before row g+8.
func weaveLinear(x, y uint64) uint64 {
	const even = 0x00ff00ff00ff00ff
	return (x|x>>4)&even | (y|y>>4)&even<<8
}

// swapMiddle exchanges the second and the third byte of both 32-bit words.
func swapMiddle(v uint64) uint64 {
	const ends, second = 0xff0000ffff0000ff, 0x0000ff000000ff00
	return v&ends | v&second<<8 | v>>8&second
}

// gather collects bits from the bytes of x: m has the power 48-16i+p where the bits of bytes
// 2i and 2i+1 go to bit p of the low and of the high byte of the result. The bits must not
// overlap anywhere in the product.
func gather(x, m uint64) uint64 { return x * m >> 48 }

// pairs makes a word of the gathered bits of both rows: those of even columns are in its low
// half, row g first.
func pairs(x, y uint64) uint32 { return uint32(swapMiddle(x | y<<16)) }

// Multipliers of gather. Columns 0, 2, 4, 6 go to:
const (
	bit5Places = 1<<48 | 1<<33 | 1<<18 | 1<<3 // bits 0, 1, 2, 3; HighBit
	pair6Row0  = 1<<52 | 1<<38 | 1<<16 | 1<<2 // bits 4, 6, 0, 2; HighPair, places 0 and 2
	pair6Row8  = 1<<48 | 1<<34 | 1<<20 | 1<<6 // bits 0, 2, 4, 6; HighPair, places 1 and 3
)

// spreadBits has the bits of a byte with columns 0, 2, 4, 6 in bits 0..3 and columns
// 1, 3, 5, 7 in bits 16..19.
var spreadBits = makeSpreadBits()

func makeSpreadBits() (s [256]uint32) {
	for v := range s {
		for i := range 8 {
			s[v] |= uint32(v) >> i & 1 << (i>>1 + i&1*16)
		}
	}
	return s
}
