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
	parts []part
	// open prepares the scales of a unit; the function that it returns gives the A operand of
	// a step: 4*chunk + step of the chunk.
	open func(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32
	// whole opens a unit for few rows where that is cheaper, see weight_whole.go; or nil.
	whole func(k *codegen.K, w []codegen.I32) *whole
	// apart opens a unit for one row of x or two, see weight_apart.go; or nil.
	apart func(k *codegen.K, w []codegen.I32) *apartForm
}

// part is one load of a lane's words of a unit.
type part struct {
	at    int  // bytes from the start of the unit
	words int  // that a lane loads at once
	group bool // the four lanes of a group load the same
	first int  // chunk that needs the words first; 0 also when open does
	count int  // chunks that need them; 0: all
}

// lanes16 are n loads of 16 bytes a lane from byte at on, each for count chunks (0: all for one).
func lanes16(at, n, count int, more ...part) []part {
	var ps []part
	for i := range n {
		ps = append(ps, part{at: at + 512*i, words: 4, first: i * count, count: count})
	}
	return append(ps, more...)
}

var formats = []format{
	{Type: quant.Q2_K, parts: lanes16(0, 2, 2, part{at: 1024, words: 2}, part{at: 1280, words: 2, group: true}), open: openQ2K},
	{Type: quant.Q3_K, parts: lanes16(0, 2, 2, part{at: 1024, words: 4}, part{at: 1536, words: 1},
		part{at: 1664, words: 2, group: true}, part{at: 1728, words: 1, group: true}), open: openQ3K},
	{Type: quant.Q4_K, parts: lanes16(0, 4, 1, part{at: 2048, words: 2}), open: openQ4K, whole: wholeQ4K, apart: apartQ4K},
	{Type: quant.Q5_K, parts: lanes16(0, 4, 1, part{at: 2048, words: 4}, part{at: 2560, words: 2}), open: openQ5K, whole: wholeQ5K, apart: apartQ5K},
	{Type: quant.Q6_K, parts: append(lanes16(0, 4, 1, lanes16(2048, 2, 2)...),
		part{at: 3072, words: 2}, part{at: 3328, words: 1, group: true}), open: openQ6K, apart: apartQ6K},
	{Type: quant.IQ4_XS, parts: lanes16(0, 4, 1, part{at: 2048, words: 4, group: true}), open: openIQ4XS},
	{Type: quant.Q8_0, parts: lanes16(0, 2, 0, part{at: 1024, words: 2, group: true}), open: openQ8},
	{Type: quant.Q4_0, parts: lanes16(0, 1, 1, part{at: 512, words: 2, group: true}), open: open40},
	{Type: quant.Q4_1, parts: lanes16(0, 1, 1, part{at: 512, words: 4, group: true}), open: open41},
	{Type: quant.Q5_0, parts: lanes16(0, 1, 1, part{at: 512, words: 1}, part{at: 640, words: 2, group: true}), open: open50},
	{Type: quant.Q5_1, parts: lanes16(0, 1, 1, part{at: 512, words: 1}, part{at: 640, words: 4, group: true}), open: open51},
	{Type: quant.IQ4_NL, parts: lanes16(0, 1, 1, part{at: 512, words: 2, group: true}), open: openIQ4NL},
	{Type: quant.MXFP4, parts: lanes16(0, 1, 1, part{at: 512, words: 1, group: true}), open: openMX},
	{Type: quant.F16, parts: lanes16(0, 4, 0), open: openF16},
	{Type: quant.BF16, parts: lanes16(0, 4, 0), open: openBF16},
}

// words returns the words of a lane per unit.
func (f *format) words() (n int) {
	for _, p := range f.parts {
		n += p.words
	}
	return n
}

// load loads a lane's words of the unit at p.
func (f *format) load(k *codegen.K, p codegen.Ptr) (w []codegen.I32) {
	for _, part := range f.parts {
		w = append(w, part.load(k, p)...)
	}
	return w
}

// load loads a lane's words of the unit.
func (p part) load(k *codegen.K, unit codegen.Ptr) []codegen.I32 {
	i := k.Lane()
	if p.group {
		i = i.Shr(2)
	}
	unit = unit.At(p.at).Elem(i, 4*p.words)
	switch p.words {
	case 1:
		return []codegen.I32{unit.LdI32()}
	case 2:
		x := unit.LdI32x2()
		return x[:]
	}
	x := unit.LdI32x4()
	return x[:]
}

// weight is a weight operand: a matrix, or several of the same shape one after the other.
type weight struct {
	*format // nil for f32
	layout  *repack.Layout
	cols    int
	rows    int // of one matrix
	count   int // matrices
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
	return p.Elem(t.Mul(w.units()).Add(u), w.layout.UnitBytes).Stream()
}

// scaleOf gives the number of the scale of a place in a step (of a chunk, or of a unit): 0 and 1
// are rows g and g+8 of run t, 2 and 3 those of run t+4.
func scaleOf(step, a int) int { return step>>1&1*2 + a&1 }

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
