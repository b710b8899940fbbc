package repack

import (
	"fmt"

	"dsac/runtime/quant"
)

// TileRows is the number of rows of a tile.
const TileRows = 16

// Layout is how the weights of one type are arranged. Names carry a version: a layout that
// changes gets another name.
type Layout struct {
	Name      string
	Type      quant.Type
	UnitCols  int // columns of a unit: 64 or 256
	UnitBytes int // bytes of a unit: 16 rows of UnitCols columns
	pack      func(dst []byte, src *rows)
	unpack    func(dst *rows, src []byte)
}

// rows are the blocks of one unit in their file form, one slice per row.
type rows [TileRows][]byte

// Layouts lists every layout. f32 matrices stay as they are in the file: their kernels
// multiply in float32.
var Layouts = []Layout{
	{Name: "q2k_mma16_1", Type: quant.Q2_K, UnitCols: 256, UnitBytes: 1344, pack: packQ2K, unpack: unpackQ2K},
	{Name: "q3k_mma16_1", Type: quant.Q3_K, UnitCols: 256, UnitBytes: 1760, pack: packQ3K, unpack: unpackQ3K},
	{Name: "q4k_mma16_1", Type: quant.Q4_K, UnitCols: 256, UnitBytes: 2304, pack: packQ4K, unpack: unpackQ4K},
	{Name: "q5k_mma16_1", Type: quant.Q5_K, UnitCols: 256, UnitBytes: 2816, pack: packQ5K, unpack: unpackQ5K},
	{Name: "q6k_mma16_1", Type: quant.Q6_K, UnitCols: 256, UnitBytes: 3360, pack: packQ6K, unpack: unpackQ6K},
	{Name: "iq4xs_mma16_1", Type: quant.IQ4_XS, UnitCols: 256, UnitBytes: 2176, pack: packIQ4XS, unpack: unpackIQ4XS},
	{Name: "q8_0_mma16_1", Type: quant.Q8_0, UnitCols: 64, UnitBytes: 1088, pack: packQ8_0, unpack: unpackQ8_0},
	{Name: "q4_0_mma16_1", Type: quant.Q4_0, UnitCols: 64, UnitBytes: 576, pack: pack4.pack, unpack: pack4.unpack},
	{Name: "q4_1_mma16_1", Type: quant.Q4_1, UnitCols: 64, UnitBytes: 640, pack: pack41.pack, unpack: pack41.unpack},
	{Name: "q5_0_mma16_1", Type: quant.Q5_0, UnitCols: 64, UnitBytes: 704, pack: pack50.pack, unpack: pack50.unpack},
	{Name: "q5_1_mma16_1", Type: quant.Q5_1, UnitCols: 64, UnitBytes: 768, pack: pack51.pack, unpack: pack51.unpack},
	{Name: "iq4nl_mma16_1", Type: quant.IQ4_NL, UnitCols: 64, UnitBytes: 576, pack: pack4.pack, unpack: pack4.unpack},
	{Name: "mxfp4_mma16_1", Type: quant.MXFP4, UnitCols: 64, UnitBytes: 544, pack: packMX.pack, unpack: packMX.unpack},
	{Name: "f16_mma16_1", Type: quant.F16, UnitCols: 64, UnitBytes: 2048, pack: pack16, unpack: unpack16},
	{Name: "bf16_mma16_1", Type: quant.BF16, UnitCols: 64, UnitBytes: 2048, pack: pack16, unpack: unpack16},
	{Name: "f32_rows_1", Type: quant.F32},
}

// For returns the layout of a type. The error wraps quant.ErrUnsupported when there is none;
// callers add the tensor.
func For(t quant.Type) (*Layout, error) {
	for i := range Layouts {
		if Layouts[i].Type == t {
			return &Layouts[i], nil
		}
	}
	return nil, fmt.Errorf("%w: GPU kernels multiply no %s weights", quant.ErrUnsupported, t)
}

// Named returns the layout with that name.
func Named(name string) (*Layout, error) {
	for i := range Layouts {
		if Layouts[i].Name == name {
			return &Layouts[i], nil
		}
	}
	return nil, fmt.Errorf("no weight layout is named %q", name)
}

// Units returns the units of a tile of a matrix with that many columns.
func (l *Layout) Units(cols int) int { return (cols + l.UnitCols - 1) / l.UnitCols }

// Tiles returns the tiles of a matrix with n rows.
func Tiles(n int) int { return (n + TileRows - 1) / TileRows }

// Bytes returns the size of a packed matrix. Several matrices of one tensor (heads, experts)
// follow each other, each packed by itself.
func (l *Layout) Bytes(n, cols int) (int64, error) {
	row, err := l.Type.RowBytes(cols)
	if err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, fmt.Errorf("%d rows", n)
	}
	if l.pack == nil {
		return int64(n) * int64(row), nil
	}
	return int64(Tiles(n)) * int64(l.Units(cols)) * int64(l.UnitBytes), nil
}

// check compares sizes; packed holds the matrix in the layout, flat in the file's form.
func (l *Layout) check(packed, flat []byte, n, cols int) error {
	want, err := l.Bytes(n, cols)
	if err != nil {
		return fmt.Errorf("layout %s: %w", l.Name, err)
	}
	row, _ := l.Type.RowBytes(cols)
	if int64(len(packed)) != want || int64(len(flat)) != int64(n)*int64(row) {
		return fmt.Errorf("layout %s: %d rows of %d columns take %d bytes in the file and %d packed, got %d and %d",
			l.Name, n, cols, n*row, want, len(flat), len(packed))
	}
	return nil
}

// Pack arranges n rows of cols columns, in the file's form in src, into dst. Both must have
// the exact size (Type.RowBytes, Bytes).
func (l *Layout) Pack(dst, src []byte, n, cols int) error {
	if err := l.check(dst, src, n, cols); err != nil {
		return err
	}
	if l.pack == nil {
		copy(dst, src)
		return nil
	}
	size := l.UnitBytes / TileRows
	row, _ := l.Type.RowBytes(cols)
	var (
		part  rows
		zeros []byte // a row of zero blocks
		tail  []byte // 16 rows of the last unit, where it is not full
	)
	if n%TileRows != 0 {
		zeros = make([]byte, size)
	}
	if row%size != 0 {
		tail = make([]byte, TileRows*size)
	}
	l.walk(n, cols, func(unit, first, off int) {
		for r := range part {
			if i := first + r; i >= n {
				part[r] = zeros
			} else if in := src[i*row+off : (i+1)*row]; len(in) >= size {
				part[r] = in[:size]
			} else {
				part[r] = tail[r*size:][:size]
				copy(part[r], in) // the rest stays zero: every short unit has that length
			}
		}
		l.pack(dst[unit*l.UnitBytes:][:l.UnitBytes], &part)
	})
	return nil
}

// Unpack is the inverse of Pack.
func (l *Layout) Unpack(dst, src []byte, n, cols int) error {
	if err := l.check(src, dst, n, cols); err != nil {
		return err
	}
	if l.pack == nil {
		copy(dst, src)
		return nil
	}
	size := l.UnitBytes / TileRows
	row, _ := l.Type.RowBytes(cols)
	spare := make([]byte, TileRows*size)
	l.walk(n, cols, func(unit, first, off int) {
		var part rows
		clear(spare)
		for r := range part {
			part[r] = spare[r*size:][:size]
		}
		l.unpack(&part, src[unit*l.UnitBytes:][:l.UnitBytes])
		for r := first; r < min(n, first+TileRows); r++ {
			copy(dst[r*row+off:(r+1)*row], part[r-first])
		}
	})
	return nil
}

// walk visits the units in packed order: the number of each, its first row, and where its
// bytes start in a row of the file.
func (l *Layout) walk(n, cols int, visit func(unit, first, off int)) {
	units := l.Units(cols)
	for tile := range Tiles(n) {
		for u := range units {
			visit(tile*units+u, tile*TileRows, u*l.UnitBytes/TileRows)
		}
	}
}
