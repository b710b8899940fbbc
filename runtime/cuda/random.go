package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// store writes a value as an element of a cache.
type store struct {
	size int // bytes
	put  func(b []byte, v float32)
}

var stores = map[string]store{
	"f32":  {4, func(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) }},
	"f16":  {2, func(b []byte, v float32) { binary.LittleEndian.PutUint16(b, quant.F32ToF16(v)) }},
	"bf16": {2, func(b []byte, v float32) { binary.LittleEndian.PutUint16(b, quant.F32ToBF16(v)) }},
}

// RandomState fills the first pos rows of every cache with normal values of deviation 1, made
// from seed and the cache's name alone, and sets the position: a stand-in for a long prompt.
// The values are those that the host device makes from the same seed.
func (d *Device) RandomState(seed uint64, pos int) error {
	if ctx := d.plan.Ctx(); pos < 0 || ctx > 0 && int64(pos) > ctx {
		return fmt.Errorf("random state of %d rows: the plan has room for %d", pos, ctx)
	}
	p := d.plan
	for i := range p.Bufs {
		b := &p.Bufs[i]
		if p.Regions[b.Region].Kind != plan.State || b.Layer == plan.None || b.Parent != plan.None {
			continue
		}
		st, ok := stores[p.Str(b.DType)]
		if !ok || b.Dims != 2 {
			return fmt.Errorf("cache %s: rows of %q values of rank %d cannot be made up", p.Str(b.Name), p.Str(b.DType), b.Dims)
		}
		if err := d.randomRows(int32(i), st, seed, pos); err != nil {
			return fmt.Errorf("cache %s: %w", p.Str(b.Name), err)
		}
	}
	d.Reset()
	binary.LittleEndian.PutUint64(d.ctl.host.bytes[plan.CtlPos:], uint64(pos))
	return d.dead
}

// randomRows fills a cache in pieces of about a megabyte.
func (d *Device) randomRows(buf int32, st store, seed uint64, pos int) error {
	b := &d.plan.Bufs[buf]
	width := int(b.Shape[1])
	r := rand.New(rand.NewPCG(seed, nameSeed(d.name(buf))))
	piece := max(1, (1<<20)/(width*st.size))
	rows := min(pos, int(b.Shape[0]))
	bytes := make([]byte, piece*width*st.size)
	for at := 0; at < rows; at += piece {
		n := min(piece, rows-at) * width
		for j := range n {
			st.put(bytes[j*st.size:], float32(r.NormFloat64()))
		}
		err := d.bound(func() error {
			return d.drv.write(d.address(buf)+uint64(at*width*st.size), bytes[:n*st.size])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nameSeed is the 64-bit FNV-1a hash of a name.
func nameSeed(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}
