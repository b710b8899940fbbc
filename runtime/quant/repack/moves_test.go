package repack

import (
	"bytes"
	"testing"
)

// apply packs a matrix by a table of moves, in the obvious way.
func apply(l *Layout, m Moves, src []byte, n, cols int) []byte {
	row, _ := l.Type.RowBytes(cols)
	words := l.PackedWords()
	var out []byte
	l.walk(n, cols, func(unit, first, off int) {
		for w := range words {
			var v uint32
			for _, f := range m[2*words:][m[2*w]&0xffff : m[2*w]>>16] {
				r, at := first+int(f&15), off+int(f>>7&255)
				if r < n && at < row {
					v |= uint32(src[r*row+at]) >> (f >> 4 & 7) & (f >> 15 & 255) << (f >> 23)
				}
			}
			out = append(out, 0, 0, 0, 0)
			putWord(out, len(out)/4-1, v^m[2*w+1])
		}
	})
	return out
}

// TestMovesArePack compares matrices that end within a tile and within a unit.
func TestMovesArePack(t *testing.T) {
	for _, l := range Layouts {
		if l.Plain() {
			continue
		}
		m := l.Moves()
		info, _ := l.Type.Info()
		for _, n := range []int{1, 16, 35} {
			for _, blocks := range []int{1, 3} {
				cols := blocks * info.Elems
				flat, want := packed(t, &l, n, cols, uint64(n+blocks))
				if got := apply(&l, m, flat, n, cols); !bytes.Equal(got, want) {
					t.Errorf("%s %dx%d: the moves give other bytes than Pack, first at %d", l.Name, n, cols, firstDifference(got, want))
				}
			}
		}
		t.Logf("%s: %d words, %d moves", l.Name, l.PackedWords(), len(m)-2*l.PackedWords())
	}
}
