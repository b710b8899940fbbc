package repack

import "encoding/binary"

// Where codes go. A lane's share of a step is eight codes: two neighbouring columns (e = 0, 1)
// in each of four places a = 0..3, the registers of the A operand:
//
//	a = 0: row g, run t      a = 1: row g+8, run t
//	a = 2: row g, run t+4    a = 3: row g+8, run t+4

// grid holds the codes of a unit by row and column.
type grid [TileRows][256]byte

// at returns the row and the column of a code; spread is for units of 256 columns.
func at(spread bool, chunk, step, lane, a, e int) (row, col int) {
	run, in := lane&3+a>>1*4, 2*step+e
	row = lane>>2 + a&1*8
	if spread {
		return row, 32*run + 8*chunk + in
	}
	return row, 64*chunk + 8*run + in
}

// each visits every code of a unit in packed order.
func each(spread bool, chunks int, visit func(chunk, step, lane, a, e int, code func(*grid) *byte)) {
	for c := range chunks {
		for s := range 4 {
			for lane := range 32 {
				for a := range 4 {
					for e := range 2 {
						r, k := at(spread, c, s, lane, a, e)
						visit(c, s, lane, a, e, func(g *grid) *byte { return &g[r][k] })
					}
				}
			}
		}
	}
}

// word returns the 32-bit word i of b.
func word(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func putWord(b []byte, i int, w uint32) { binary.LittleEndian.PutUint32(b[4*i:], w) }

// nibbleShift gives the bit of the low four bits of a code in the word of its step: pairs lie
// 16 bits apart, so that a mask makes a pair of halves, and places 1 and 3 are one nibble up.
func nibbleShift(a, e int) int { return 4*a + 16*e }

// linearShift is the order for codes that are looked up in a table of bytes.
func linearShift(a, e int) int { return 8*a + 4*e }

// HighBit gives the bit of the fifth bit of a code (e = 0; 16 more for e = 1) in the word of
// its chunk, by step and place: one shift brings two places to where they join their nibbles.
var HighBit = [4][4]int{{4, 8, 5, 9}, {6, 10, 7, 11}, {0, 12, 1, 13}, {2, 14, 3, 15}}

// HighPair is the same for the two high bits of six, in the word of two steps.
var HighPair = [2][4]int{{4, 8, 6, 10}, {0, 12, 2, 14}}

// nibbles moves the low four bits of codes: one word a lane and step, four steps together.
func (g *grid) putNibbles(dst []byte, spread bool, chunks int, shift func(a, e int) int) {
	clear(dst[:512*chunks])
	each(spread, chunks, func(c, s, lane, a, e int, code func(*grid) *byte) {
		i := 128*c + 4*lane + s
		putWord(dst, i, word(dst, i)|uint32(*code(g)&15)<<shift(a, e))
	})
}

func (g *grid) nibbles(src []byte, spread bool, chunks int, shift func(a, e int) int) {
	each(spread, chunks, func(c, s, lane, a, e int, code func(*grid) *byte) {
		*code(g) |= byte(word(src, 128*c+4*lane+s) >> shift(a, e) & 15)
	})
}

// bit5 moves the fifth bits: one word a lane and chunk, those of a lane together.
func (g *grid) putBit5(dst []byte, spread bool, chunks int) {
	clear(dst[:128*chunks])
	each(spread, chunks, func(c, s, lane, a, e int, code func(*grid) *byte) {
		i := chunks*lane + c
		putWord(dst, i, word(dst, i)|uint32(*code(g)>>4&1)<<(HighBit[s][a]+16*e))
	})
}

func (g *grid) bit5(src []byte, spread bool, chunks int) {
	each(spread, chunks, func(c, s, lane, a, e int, code func(*grid) *byte) {
		*code(g) |= byte(word(src, chunks*lane+c)>>(HighBit[s][a]+16*e)&1) << 4
	})
}

// pair6 moves bits 4 and 5 of six-bit codes: two words a lane and chunk, two chunks together.
func (g *grid) putPair6(dst []byte) {
	clear(dst[:1024])
	each(true, 4, func(c, s, lane, a, e int, code func(*grid) *byte) {
		i := 128*(c>>1) + 4*lane + 2*(c&1) + s>>1
		putWord(dst, i, word(dst, i)|uint32(*code(g)>>4&3)<<(HighPair[s&1][a]+16*e))
	})
}

func (g *grid) pair6(src []byte) {
	each(true, 4, func(c, s, lane, a, e int, code func(*grid) *byte) {
		i := 128*(c>>1) + 4*lane + 2*(c&1) + s>>1
		*code(g) |= byte(word(src, i)>>(HighPair[s&1][a]+16*e)&3) << 4
	})
}
