package repack

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dsac/runtime/quant"
)

// packed makes random rows of a type and their packed form.
func packed(t testing.TB, l *Layout, n, cols int, seed uint64) (flat, dst []byte) {
	t.Helper()
	row, err := l.Type.RowBytes(cols)
	if err != nil {
		t.Fatal(err)
	}
	flat = make([]byte, n*row)
	quant.NewRand(seed).Fill(flat)
	size, err := l.Bytes(n, cols)
	if err != nil {
		t.Fatal(err)
	}
	dst = make([]byte, size)
	for i := range dst {
		dst[i] = 0xa5
	}
	if err := l.Pack(dst, flat, n, cols); err != nil {
		t.Fatal(err)
	}
	return flat, dst
}

func TestUnpackInvertsPack(t *testing.T) {
	for _, l := range Layouts {
		info, _ := l.Type.Info()
		for _, n := range []int{0, 1, 15, 16, 17, 40} {
			for _, blocks := range []int{1, 2, 3, 5} {
				cols := blocks * info.Elems
				flat, dst := packed(t, &l, n, cols, uint64(n*10+blocks))
				got := bytes.Repeat([]byte{0x5a}, len(flat))
				if err := l.Unpack(got, dst, n, cols); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, flat) {
					t.Errorf("%s %dx%d: unpacked bytes differ", l.Name, n, cols)
				}
			}
		}
	}
}

// TestPackFillsUpWithZeros compares a matrix that ends within a tile and within a unit with the
// same one filled up with zero blocks.
func TestPackFillsUpWithZeros(t *testing.T) {
	const n = 19
	for _, l := range Layouts {
		info, _ := l.Type.Info()
		if l.pack == nil {
			continue
		}
		size := l.UnitBytes / TileRows // of a row of one unit
		for _, blocks := range []int{1, l.UnitCols/info.Elems + 1} {
			cols := blocks * info.Elems
			row := blocks * info.Bytes
			flat, got := packed(t, &l, n, cols, uint64(blocks))
			full := make([]byte, Tiles(n)*TileRows*l.Units(cols)*size)
			for r := range n {
				copy(full[r*l.Units(cols)*size:], flat[r*row:][:row])
			}
			want := make([]byte, len(got))
			if err := l.Pack(want, full, Tiles(n)*TileRows, l.Units(cols)*l.UnitCols); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s %dx%d: differs from the matrix filled up with zeros", l.Name, n, cols)
			}
		}
	}
}

// TestPackIsABijection flips each bit of a unit: exactly one bit of the packed form follows.
func TestPackIsABijection(t *testing.T) {
	for _, l := range Layouts {
		if l.pack == nil {
			continue
		}
		flat, base := packed(t, &l, TileRows, l.UnitCols, 1)
		if len(flat) != len(base) {
			t.Errorf("%s: a unit has %d bytes, %d packed", l.Name, len(flat), len(base))
		}
		seen := make([]byte, len(base))
		dst := make([]byte, len(base))
		for i := 0; i < 8*len(flat); i += 101 {
			flat[i/8] ^= 1 << (i % 8)
			if err := l.Pack(dst, flat, TileRows, l.UnitCols); err != nil {
				t.Fatal(err)
			}
			flat[i/8] ^= 1 << (i % 8)
			changed := 0
			for j := range dst {
				if d := dst[j] ^ base[j]; d != 0 {
					changed++
					if d&(d-1) != 0 || seen[j]&d != 0 {
						t.Fatalf("%s: bit %d of the file moves bits %08b of packed byte %d, seen %08b", l.Name, i, d, j, seen[j])
					}
					seen[j] |= d
				}
			}
			if changed != 1 {
				t.Fatalf("%s: bit %d of the file moves bits of %d packed bytes", l.Name, i, changed)
			}
		}
	}
}

func TestUnitsAreAligned(t *testing.T) {
	for _, l := range Layouts {
		info, _ := l.Type.Info()
		if l.pack == nil {
			continue
		}
		if l.UnitBytes%16 != 0 || l.UnitCols%info.Elems != 0 || l.UnitBytes != l.UnitCols/info.Elems*info.Bytes*TileRows {
			t.Errorf("%s: unit of %d bytes for %d columns", l.Name, l.UnitBytes, l.UnitCols)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := For(quant.Q8_K); !errors.Is(err, quant.ErrUnsupported) || !strings.Contains(err.Error(), "q8_k") {
		t.Errorf("For(q8_k): got %v", err)
	}
	if _, err := Named("nope"); err == nil {
		t.Error("Named(nope): no error")
	}
	l, err := For(quant.Q4_K)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dst, src, n, cols int
		want              string
	}{
		{2304, 144, 1, 200, "not a multiple"},
		{2303, 144, 1, 256, "1 rows of 256 columns take 144 bytes in the file and 2304 packed, got 144 and 2303"},
		{2304, 143, 1, 256, "got 143 and 2304"},
		{0, 0, -1, 256, "-1 rows"},
	} {
		if err := l.Pack(make([]byte, c.dst), make([]byte, c.src), c.n, c.cols); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Pack(%d, %d, %d, %d): got %v, want %q", c.dst, c.src, c.n, c.cols, err, c.want)
		}
	}
}
