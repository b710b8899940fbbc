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

// evenOdd sorts columns: those with even numbers of both rows, x before y, and the odd ones.
func evenOdd(x, y uint64) (even, odd uint64) {
	const low = 0x00ff00ff00ff00ff
	return x&low | y<<8&^low, x>>8&low | y&^low
}

// gather makes a word of the bits of one code each in the bytes of even and odd (evenOdd), even
// columns in its low half, x before y. The power 48-16i+p of m brings a bit from the pair of
// bytes i to p bits further up. No two bits may meet in a product.
func gather(even, odd, m uint64) uint32 { return uint32(even*m>>48 | odd*m>>48<<16) }

// Multipliers of gather.
const (
	oneApart = 1<<48 | 1<<33 | 1<<18 | 1<<3 // p = i: fifth bits, in bits 0 and 4 of each byte
	twoApart = 1<<48 | 1<<34 | 1<<20 | 1<<6 // p = 2i: high pairs, in bits 0 and 1 of each byte
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
