package product

import (
	"fmt"

	"dsac/codegen"
	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// format turns the packed weights of a type into operands of mma: f16 values, each
// rounded once from what the type stands for. The lanes' shares are those of package repack.
type format struct {
	quant.Type
	words int // 32-bit words that a lane loads per unit
	// load loads a lane's words of the unit at p.
	load func(k *codegen.K, p codegen.Ptr) []codegen.I32
	// open prepares the scales of a unit; the function that it returns gives the A operand of
	// a step: 4*chunk + step of the chunk.
	open func(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32
}

var formats = []format{
	{quant.Q4_K, 18, loadQ4K, openQ4K},
	{quant.Q5_K, 22, loadQ5K, openQ5K},
	{quant.Q6_K, 27, loadQ6K, openQ6K},
	{quant.IQ4_XS, 20, loadIQ4XS, openIQ4XS},
	{quant.Q8_0, 10, loadQ8, openQ8},
	{quant.Q4_0, 6, load40, open40},
	{quant.Q4_1, 8, load41, open41},
	{quant.Q5_0, 7, load50, open50},
	{quant.Q5_1, 9, load51, open51},
	{quant.IQ4_NL, 6, load40, openIQ4NL},
	{quant.MXFP4, 5, loadMX, openMX},
	{quant.F16, 16, load16, openF16},
	{quant.BF16, 16, load16, openBF16},
}

// weight is a weight operand: a matrix, or several of the same shape one after the other.
type weight struct {
	*format
	layout *repack.Layout
	cols   int
	rows   int // of one matrix
	count  int // matrices
}

// weightOf reads the operand's type, shape and layout.
func weightOf(o codegen.OperandSpec) (*weight, error) {
	t, err := quant.Parse(o.DType)
	if err != nil {
		return nil, err
	}
	l, err := repack.For(t)
	if err != nil {
		return nil, err
	}
	n := len(o.Shape)
	if n < 2 || o.Cols > 0 {
		return nil, fmt.Errorf("weights of shape %v, want a whole matrix", o.Shape)
	}
	if o.Layout != "" && o.Layout != l.Name {
		return nil, fmt.Errorf("weights in layout %s, want %s", o.Layout, l.Name)
	}
	if _, err := l.Bytes(o.Shape[n-2], o.Shape[n-1]); err != nil {
		return nil, err
	}
	w := &weight{layout: l, cols: o.Shape[n-1], rows: o.Shape[n-2], count: elems(o.Shape[:n-2])}
	for i := range formats {
		if formats[i].Type == t {
			w.format = &formats[i]
		}
	}
	return w, nil
}

// spread says which columns make a chunk, see package repack.
func (w *weight) spread() bool { return w.layout.UnitCols == 256 }

// units and tiles of one matrix.
func (w *weight) units() int { return w.layout.Units(w.cols) }
func (w *weight) tiles() int { return repack.Tiles(w.rows) }

// chunks returns the chunks of 64 columns of a unit.
func (w *weight) chunks() int { return w.layout.UnitCols / chunkCols }

// unit returns the address of a unit: of tile t (counted over all matrices) and number u.
func (w *weight) unit(p codegen.Ptr, t, u codegen.I32) codegen.Ptr {
	return p.Elem(t, w.units()*w.layout.UnitBytes).Elem(u, w.layout.UnitBytes).Stream()
}

// Bits of halves, two in a word.
const (
	h1024  = 0x64006400 // 1024: the low ten bits of it are an integer
	hSixth = 0x2c002c00 // 1/16
)

// halves repeats the half with these bits.
func halves(k *codegen.K, bits int) codegen.H2 { return k.I32(bits<<16 | bits).AsH2() }

// pick returns w & mask | 1024: a pair of integers that became halves.
func pick(k *codegen.K, w codegen.I32, mask int) codegen.H2 {
	return k.Lop3(w, mask, h1024, 0xea).AsH2()
}

// dup repeats the low half.
func dup(k *codegen.K, w codegen.I32) codegen.H2 { return k.Prmt(w, w, 0x1010).AsH2() }

// dupHi repeats the high half.
func dupHi(k *codegen.K, w codegen.I32) codegen.H2 { return k.Prmt(w, w, 0x3232).AsH2() }

// round makes a pair of equal halves from a number.
func round(k *codegen.K, x codegen.F32) codegen.H2 { return k.PackH2(x, x) }

// moved shifts right by n bits, left if n is negative.
func moved(w codegen.I32, n int) codegen.I32 {
	if n < 0 {
		return w.Shl(-n)
	}
	return w.Shr(n)
}

// lane16 loads n times 16 bytes a lane, 512 bytes apart.
func lane16(k *codegen.K, p codegen.Ptr, n int) (w []codegen.I32) {
	p = p.Elem(k.Lane(), 16)
	for i := range n {
		x := p.At(512 * i).LdI32x4()
		w = append(w, x[:]...)
	}
	return w
}

// lane8 loads 8 bytes a lane.
func lane8(k *codegen.K, p codegen.Ptr) []codegen.I32 {
	x := p.Elem(k.Lane(), 8).LdI32x2()
	return x[:]
}

// group loads 4, 8 or 16 bytes that the four lanes of a group share.
func group(k *codegen.K, p codegen.Ptr, size int) []codegen.I32 {
	p = p.Elem(k.Lane().Shr(2), size)
	switch size {
	case 4:
		return []codegen.I32{p.LdI32()}
	case 8:
		x := p.LdI32x2()
		return x[:]
	}
	x := p.LdI32x4()
	return x[:]
}
