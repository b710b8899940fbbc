package repack

import "encoding/binary"

// Where codes go. A lane's share of a step is eight codes: two neighbouring columns (e = 0, 1)
// in each of four places a = 0..3, the registers of the A operand:
//
//	a = 0: row g, first pair     a = 1: row g+8, first pair
//	a = 2: row g, second pair    a = 3: row g+8, second pair

// grid holds the codes of a unit: of row r and column k at 256r+k.
type grid [TileRows * 256]byte

// at returns the row and the column of a code; spread is for units of 256 columns.
func at(spread bool, chunk, step, lane, a, e int) (row, col int) {
	run, in := lane&3+step>>1*4, 4*(step&1)+a>>1*2+e
	row = lane>>2 + a&1*8
	if spread {
		return row, 32*run + 8*chunk + in
	}
	return row, 64*chunk + 8*run + in
}

// order lists the codes of a chunk by step, lane, place and column of the pair, as indices into
// a grid: first for units of 64 columns, then for those of 256, where chunk c adds 8c.
var order = [2][1024]uint16{makeOrder(false), makeOrder(true)}

func makeOrder(spread bool) (o [1024]uint16) {
	for i := range o {
		r, k := at(spread, 0, i>>8, i>>3&31, i>>1&3, i&1)
		o[i] = uint16(r*256 + k)
	}
	return o
}

// chunkOrder returns the codes of a chunk in packed order.
func chunkOrder(spread bool) *[1024]uint16 {
	if spread {
		return &order[1]
	}
	return &order[0]
}

// word returns the 32-bit word i of b.
func word(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func putWord(b []byte, i int, w uint32) { binary.LittleEndian.PutUint32(b[4*i:], w) }

// nibbleShift gives the bit of the low four bits of a code in the word of its step, by place
// and column: pairs lie 16 bits apart, so that a mask makes a pair of halves, and places 1 and
// 3 are one nibble up.
var nibbleShift = [8]int{0, 16, 4, 20, 8, 24, 12, 28}

// linearShift is the order for codes that are looked up in a table of bytes.
var linearShift = [8]int{0, 4, 8, 12, 16, 20, 24, 28}

// HighBit gives the bit of the fifth bit of a code (first column; 16 more for the second) in
// the word of its chunk, by step and place: one shift brings two places to where they join
// their nibbles.
var HighBit = [4][4]int{{4, 8, 5, 9}, {6, 10, 7, 11}, {0, 12, 1, 13}, {2, 14, 3, 15}}

// HighPair is the same for the two high bits of six, in the word of two steps.
var HighPair = [2][4]int{{4, 8, 6, 10}, {0, 12, 2, 14}}

func (g *grid) nibbles(src []byte, spread bool, chunks int, shift *[8]int) {
	for c := range chunks {
		for i, o := 0, chunkOrder(spread); i < 1024; i += 8 {
			w := word(src, 128*c+i>>3&31*4+i>>8)
			for j, at := range o[i : i+8] {
				g[int(at)+8*c] |= byte(w >> (shift[j] & 31) & 15)
			}
		}
	}
}

// bit adds the bits of packed high bits to codes, as bit `to`.
func (g *grid) bit(src []byte, spread bool, chunks, to int) {
	o := chunkOrder(spread)
	for c := range chunks {
		for lane := range 32 {
			w := word(src, chunks*lane+c)
			for i := range 32 {
				g[int(o[i>>3<<8|lane<<3|i&7])+8*c] |= byte(w>>(HighBit[i>>3][i>>1&3]+16*(i&1))&1) << to
			}
		}
	}
}

// pairWord is the word that holds the high bits of two steps (h = 0, 1) of a chunk: two words
// a lane and chunk, two chunks together.
func pairWord(chunk, lane, h int) int { return 128*(chunk>>1) + 4*lane + 2*(chunk&1) + h }

// pairs adds packed pairs of bits to the codes of a unit of 256 columns, from bit `to` on.
func (g *grid) pairs(src []byte, to int) {
	for c := range 4 {
		for lane := range 32 {
			for h := range 2 {
				w := word(src, pairWord(c, lane, h))
				for i := range 16 {
					g[int(order[1][(2*h+i>>3)<<8|lane<<3|i&7])+8*c] |= byte(w>>(HighPair[i>>3][i>>1&3]+16*(i&1))&3) << to
				}
			}
		}
	}
}
