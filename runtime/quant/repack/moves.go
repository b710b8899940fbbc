package repack

import (
	"fmt"
	"math/bits"
)

// Moves is Pack of a layout as data, for devices that repack by themselves: a packed unit has
// the bits of its 16 rows in another order, some of them inverted. It is found by packing, so
// that it cannot say anything else than Pack does.
//
// The table has two words for each 32-bit word of the packed unit: its first move, and from bit
// 16 on the one after its last; then a mask of the bits that are inverted. The moves follow, in
// a word each. A move takes bits of one byte:
//
//	bits 0..3    row of the tile
//	bits 4..6    lowest bit within the byte
//	bits 7..14   byte within the unit's part of the row
//	bits 15..22  mask, once the lowest bit is bit 0
//	bits 23..27  where that goes in the packed word
//
// Rows and bytes that the matrix has not are zero.
type Moves []uint32

// PackedWords is the number of 32-bit words of a packed unit.
func (l *Layout) PackedWords() int { return l.UnitBytes / 4 }

// Plain says that the packed form is the file's own.
func (l *Layout) Plain() bool { return l.pack == nil }

// Moves returns the table of a layout that is not plain.
func (l *Layout) Moves() Moves {
	source, flip := l.origin()
	words := l.PackedWords()
	head, moves := make(Moves, 2*words, 10*words), Moves(nil)
	for w := range words {
		first := len(moves)
		for i := 0; i < 32; {
			n := 1
			for from := source[32*w+i]; i+n < 32 && source[32*w+i+n] == from+n && (from+n)&7 != 0; n++ {
			}
			moves = append(moves, l.move(source[32*w+i], i, n))
			i += n
		}
		head[2*w], head[2*w+1] = uint32(first|len(moves)<<16), word(flip, w)
	}
	if len(moves) >= 1<<16 {
		panic(fmt.Sprintf("BUG: layout %s has %d moves, a table has room for %d", l.Name, len(moves), 1<<16-1))
	}
	return append(head, moves...)
}

// move takes n bits of the unit in the file's form, from bit `from` on, to bit `to`.
func (l *Layout) move(from, to, n int) uint32 {
	row := 8 * l.UnitBytes / TileRows // bits of a row of the unit
	return uint32(from/row | from%row&7<<4 | from%row>>3<<7 | (1<<n-1)<<15 | to<<23)
}

// origin returns, for each bit of a packed unit, which bit it is of the sixteen rows one after
// the other, and the packed form of zeros. Bit k of all the numbers is found by packing a unit
// in which each bit is bit k of its own number.
func (l *Layout) origin() (source []int, flip []byte) {
	n := 8 * l.UnitBytes
	source = make([]int, n)
	flat, out := make([]byte, l.UnitBytes), make([]byte, l.UnitBytes)
	var src rows
	for r := range src {
		src[r] = flat[r*l.UnitBytes/TileRows:][:l.UnitBytes/TileRows]
	}
	flip = make([]byte, l.UnitBytes)
	l.pack(flip, &src)
	for k := range bits.Len(uint(n - 1)) {
		clear(flat)
		for i := range n {
			flat[i>>3] |= byte(i>>k&1) << (i & 7)
		}
		l.pack(out, &src)
		for i := range n {
			source[i] |= int((out[i>>3]^flip[i>>3])>>(i&7)&1) << k
		}
	}
	return source, flip
}
