package cuda

import (
	"context"
	"encoding/binary"
	"fmt"

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

// weightScale is the deviation of made-up weights.
const weightScale = 0.02

// filler fills buffers with random data. It keeps each pattern on the GPU.
type filler struct {
	m     *meter
	fills map[string]pattern // by kind of data
}

func newFiller(m *meter) *filler { return &filler{m, map[string]pattern{}} }

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
	dtype, layout := p.Str(b.DType), p.Str(b.Layout)
	key, cols := dtype, 1
	if !isPlain(dtype) || layout != "" {
		cols = int(b.Shape[b.Dims-1])
		key = fmt.Sprintf("%s %s %d", dtype, layout, cols)
	}
	if x, ok := f.fills[key]; ok {
		return x, nil
	}
	data, err := makePattern(dtype, layout, cols)
	if err != nil || data == nil {
		return pattern{}, err
	}
	x := pattern{bytes: uint64(len(data))}
	if x.at, err = f.m.drv.alloc(x.bytes); err != nil {
		return x, err
	}
	f.fills[key] = x
	return x, f.m.drv.write(x.at, data)
}

func isPlain(dtype string) bool {
	_, float := stores[dtype]
	return float || dtype == "u8" || dtype == "i32"
}

// makePattern makes random data of whole 16-byte words; nil for types that start as zeros.
func makePattern(dtype, layout string, cols int) ([]byte, error) {
	r := quant.NewRand(uint64(cols))
	if st, ok := stores[dtype]; ok && (layout == "" || dtype == "f32") {
		data := make([]byte, plainWords*16)
		for at := 0; at < len(data); at += st.size {
			st.put(data[at:], r.Normal())
		}
		return data, nil
	}
	if isPlain(dtype) {
		return nil, nil
	}
	q, err := quant.Parse(dtype)
	if err != nil {
		return nil, err
	}
	row, err := q.RowBytes(cols)
	if err != nil {
		return nil, err
	}
	rows := patternTiles * repack.TileRows
	flat := make([]byte, rows*row)
	for i := range rows {
		if err := q.RandomRow(flat[i*row:][:row], r, weightScale); err != nil {
			return nil, err
		}
	}
	if layout == "" {
		return flat, nil
	}
	l, err := repack.Named(layout)
	if err != nil {
		return nil, err
	}
	size, err := l.Bytes(rows, cols)
	if err != nil {
		return nil, err
	}
	packed := make([]byte, size)
	return packed, l.Pack(packed, flat, rows, cols)
}
