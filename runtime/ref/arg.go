package ref

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"dsac/runtime/quant"
)

// Arg is one operand of a step, bound to its memory: Rows rows of Width stored elements. The
// rows are the product of all dimensions but the last. A column selection ({a:b} in plan
// text) shows as Cols < Width.
type Arg struct {
	Type  quant.Type // element type; raw bytes are I8
	Shape []int      // of the whole buffer, outermost first
	Rows  int        // product of Shape without its last dimension
	Width int        // elements of a stored row
	Col   int        // first element of the selection
	Cols  int        // elements of the selection
	Data  []byte     // the whole buffer
	F32   []float32  // Data as float32, when Type is F32
	I32   []int32    // Data as int32, when Type is I32

	rowBytes int
	halves   bool // rows of half_rows, see Halves
	decode   func(dst []float32, src []byte)
	decode64 func(dst []float64, src []byte)
	load     func(uint16) float32 // of a 16-bit type
	round    func(float32) uint16
}

// NewArg binds memory. shape is that of the whole buffer; cols 0 selects whole rows. It is
// an error when data is too short or misaligned for shape, when the selection leaves the row,
// or when a selection would cut a quantised block.
func NewArg(t quant.Type, shape []int, col, cols int, data []byte) (Arg, error) {
	a := Arg{Type: t, Shape: shape, Rows: 1, Width: 1, Data: data}
	if n := len(shape); n > 0 {
		a.Width = shape[n-1]
		for _, d := range shape[:n-1] {
			if d < 0 || d > 0 && a.Rows > math.MaxInt/d {
				return a, fmt.Errorf("shape %v is too large", shape)
			}
			a.Rows *= d
		}
	}
	a.Col, a.Cols = col, cols
	if cols == 0 {
		a.Cols = a.Width - col
	}
	var err error
	if a.rowBytes, err = t.RowBytes(a.Width); err != nil {
		return a, err
	}
	if a.Col < 0 || a.Cols < 0 || a.Col+a.Cols > a.Width {
		return a, fmt.Errorf("columns [%d, %d) of a row of %d", a.Col, a.Col+a.Cols, a.Width)
	}
	if a.rowBytes > 0 && a.Rows > len(data)/a.rowBytes {
		return a, fmt.Errorf("%d bytes are too few for %s %v: a row has %d", len(data), t, shape, a.rowBytes)
	}
	a.Data = data[:a.rowBytes*a.Rows]
	a.decode, a.decode64 = t.Decoder(), t.Decoder64()
	switch t {
	case quant.F32:
		a.F32, err = words[float32](a.Data)
	case quant.I32:
		a.I32, err = words[int32](a.Data)
	case quant.F16:
		a.load, a.round = quant.F16ToF32, quant.F32ToF16
	case quant.BF16:
		a.load, a.round = quant.BF16ToF32, quant.F32ToBF16
	default:
		if a.Cols != a.Width {
			err = fmt.Errorf("column selection of %s", t)
		}
	}
	return a, err
}

// Flat returns a seen as [T, rest]. A column selection of more than two dimensions has no such
// form.
func (a Arg) Flat() (Arg, error) {
	if len(a.Shape) <= 2 {
		return a, nil
	}
	if a.Cols != a.Width {
		return a, fmt.Errorf("column selection of %v, seen as rows of the first dimension", a.Shape)
	}
	return NewArg(a.Type, []int{a.Shape[0], a.Inner() * a.Width}, 0, 0, a.Data)
}

// words views b as 4-byte elements of the machine's byte order (plans are little-endian).
func words[E float32 | int32](b []byte) ([]E, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if uintptr(unsafe.Pointer(&b[0]))%4 != 0 {
		return nil, fmt.Errorf("buffer is not aligned to 4 bytes")
	}
	return unsafe.Slice((*E)(unsafe.Pointer(&b[0])), len(b)/4), nil
}

// Inner returns the rows per element of the outermost dimension: H of a [T,H,d] buffer.
func (a *Arg) Inner() int {
	if len(a.Shape) < 2 || a.Shape[0] == 0 {
		return 1
	}
	return a.Rows / a.Shape[0]
}

// Row returns the selected columns of row i as float32: the stored row itself when it is
// f32, otherwise decoded into tmp, which must hold Cols elements.
func (a *Arg) Row(i int, tmp []float32) []float32 {
	if a.F32 != nil {
		return a.F32[i*a.Width+a.Col:][:a.Cols]
	}
	src := a.Data[i*a.rowBytes:][:a.rowBytes]
	tmp = tmp[:a.Cols]
	if a.load != nil {
		src = src[2*a.Col:]
	}
	if a.decode == nil {
		panic(fmt.Sprintf("BUG: values of type %s cannot be decoded", a.Type))
	}
	a.decode(tmp, src[:a.bytes(a.Cols)])
	if scale := a.scale(i); scale != 1 {
		for j := range tmp {
			tmp[j] *= scale
		}
	}
	return tmp
}

// Row64 decodes the selected columns of row i into dst, which must hold Cols elements.
func (a *Arg) Row64(i int, dst []float64) {
	dst = dst[:a.Cols]
	if a.F32 != nil {
		for j, v := range a.F32[i*a.Width+a.Col:][:a.Cols] {
			dst[j] = float64(v)
		}
		return
	}
	src := a.Data[i*a.rowBytes:][:a.rowBytes]
	if a.load != nil {
		src = src[2*a.Col:]
	}
	if a.decode64 == nil {
		panic(fmt.Sprintf("BUG: values of type %s cannot be decoded", a.Type))
	}
	a.decode64(dst, src[:a.bytes(a.Cols)])
	if scale := a.scale(i); scale != 1 {
		for j := range dst {
			dst[j] *= float64(scale)
		}
	}
}

// SetRow stores v as the selected columns of row i, rounded once to the type. Only f32, f16
// and bf16 buffers are written by ops.
func (a *Arg) SetRow(i int, v []float32) { a.SetPart(i, 0, v) }

// SetPart stores v at selected columns [at, at+len(v)) of row i. Rows of half_rows are stored whole.
func (a *Arg) SetPart(i, at int, v []float32) {
	if a.F32 != nil {
		copy(a.F32[i*a.Width+a.Col+at:][:len(v)], v)
		return
	}
	if a.round == nil {
		panic(fmt.Sprintf("BUG: store into a buffer of type %s", a.Type))
	}
	if a.halves {
		a.setHalves(i, v)
		return
	}
	dst := a.Data[i*a.rowBytes+2*(a.Col+at):][:2*len(v)]
	for j, e := range v {
		binary.LittleEndian.PutUint16(dst[2*j:], a.round(e))
	}
}

// RowBytes returns the bytes of a stored row.
func (a *Arg) RowBytes() int { return a.rowBytes }

// bytes returns the size of cols elements; whole blocks were checked by NewArg.
func (a *Arg) bytes(cols int) int {
	if cols == a.Width {
		return a.rowBytes
	}
	return 2 * cols
}
