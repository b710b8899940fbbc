package cuda

import (
	"context"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/quant/repack"
)

// pattern is random data on the GPU that fills buffers by repetition.
type pattern struct{ at, bytes uint64 }

// plainWords is the length of a pattern of plain numbers in 16-byte words: a prime, so that
// rows of any width start at different places of it.
const plainWords = 262139

// patternTiles is the length of a pattern of packed weights in tiles: not a power of two, for
// the same reason.
const patternTiles = 5

// Deviations of made-up numbers. Vectors among the weights are ones: norms scale by them, and
// a bias that is equal everywhere chooses nothing.
const (
	weightScale = 0.02
	plainScale  = 1
)

// filler fills buffers with random data. It keeps each pattern on the GPU.
type filler struct {
	m     *meter
	fills map[dataKind]pattern
}

func newFiller(m *meter) *filler { return &filler{m, map[dataKind]pattern{}} }

// held returns the addresses of the patterns, for who is to free them.
func (f *filler) held() []uint64 {
	var at []uint64
	for _, p := range f.fills {
		at = append(at, p.at)
	}
	return at
}

// fill fills bytes at an address with data for a buffer of the plan; types without random data
// get zeros. bytes is a multiple of 16.
func (f *filler) fill(ctx context.Context, p *plan.Plan, b *plan.Buf, at, bytes uint64) error {
	x, err := f.pattern(p, b)
	if err != nil {
		return err
	}
	if x.bytes == 0 {
		return f.m.drv.fill(at, 0, bytes)
	}
	return f.m.spread(ctx, at, bytes, x.at, x.bytes)
}

// pattern returns what a buffer is filled with; no bytes mean zeros.
func (f *filler) pattern(p *plan.Plan, b *plan.Buf) (pattern, error) {
	k := kindOf(p, b)
	if x, ok := f.fills[k]; ok {
		return x, nil
	}
	data, err := k.make()
	if err != nil || data == nil {
		return pattern{}, err
	}
	x := pattern{bytes: uint64(len(data))}
	if x.at, err = f.m.drv.alloc(x.bytes); err != nil {
		return x, err
	}
	f.fills[k] = x
	return x, f.m.drv.write(x.at, data)
}

// dataKind is all that a pattern depends on.
type dataKind struct {
	dtype, layout string
	cols          int     // of packed and quantised rows, else 0
	scale         float64 // deviation; 0: ones
}

func kindOf(p *plan.Plan, b *plan.Buf) dataKind {
	k := dataKind{dtype: p.Str(b.DType), layout: p.Str(b.Layout), scale: plainScale}
	if p.Regions[b.Region].Kind == plan.Const {
		if k.scale = weightScale; b.Dims == 1 {
			k.scale = 0
		}
	}
	if _, plain := stores[k.dtype]; plain && (k.layout == "" || k.dtype == "f32") {
		k.layout = ""
	} else if b.Dims > 0 {
		k.cols = int(b.Shape[b.Dims-1])
	}
	return k
}

// make makes random data of whole 16-byte words; nil for integers, which start as zeros.
func (k dataKind) make() ([]byte, error) {
	if k.dtype == "u8" || k.dtype == "i32" {
		return nil, nil
	}
	r := quant.NewRand(uint64(k.cols))
	if k.cols == 0 {
		st := stores[k.dtype]
		data := make([]byte, plainWords*16)
		for at := 0; at < len(data); at += st.size {
			v := float32(1)
			if k.scale != 0 {
				v = r.Normal() * float32(k.scale)
			}
			st.put(data[at:], v)
		}
		return data, nil
	}
	q, err := quant.Parse(k.dtype)
	if err != nil {
		return nil, err
	}
	row, err := q.RowBytes(k.cols)
	if err != nil {
		return nil, err
	}
	rows := patternTiles * repack.TileRows
	flat := make([]byte, rows*row)
	if err := q.RandomRow(flat, r, k.scale); err != nil || k.layout == "" {
		return flat, err
	}
	l, err := repack.Named(k.layout)
	if err != nil {
		return nil, err
	}
	size, err := l.Bytes(rows, k.cols)
	if err != nil {
		return nil, err
	}
	packed := make([]byte, size)
	return packed, l.Pack(packed, flat, rows, k.cols)
}
