package host

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// Pos returns the rows already in the caches: the position of the next input.
func (d *Device) Pos() int { return int(binary.LittleEndian.Uint64(d.ctl[plan.CtlPos:])) }

// Token returns the last token drawn.
func (d *Device) Token() int32 { return int32(binary.LittleEndian.Uint32(d.ctl[plan.CtlToken:])) }

// Reset starts a new sequence: position 0, no token counted as seen. Caches keep their bytes;
// no step reads rows at or past the position.
func (d *Device) Reset() {
	clear(d.ctl)
	clear(d.inputs.hist)
}

// Rewind moves the position back to pos <= Pos(): later rows of the caches count as free.
func (d *Device) Rewind(pos int) error {
	if pos < 0 || pos > d.Pos() {
		return fmt.Errorf("rewind to position %d from %d", pos, d.Pos())
	}
	binary.LittleEndian.PutUint64(d.ctl[plan.CtlPos:], uint64(pos))
	return nil
}

// RandomState fills the first pos rows of every cache with normal values of deviation 1, made
// from seed and the cache's name alone, and sets the position: a stand-in for a long prompt.
func (d *Device) RandomState(seed uint64, pos int) error {
	if pos < 0 || d.ctx > 0 && pos > d.ctx {
		return fmt.Errorf("random state of %d rows: the plan has room for %d", pos, d.ctx)
	}
	p := d.plan
	for i := range p.Bufs {
		b := &p.Bufs[i]
		if p.Regions[b.Region].Kind != plan.State || b.Layer == plan.None || b.Parent != plan.None {
			continue
		}
		t, err := quant.Parse(p.Str(b.DType))
		if err != nil {
			return fmt.Errorf("cache %s: %w", p.Str(b.Name), err)
		}
		a, err := ref.NewArg(t, []int{int(b.Shape[0]), int(b.Shape[1])}, 0, 0, d.bufs[i])
		if err != nil {
			return fmt.Errorf("cache %s: %w", p.Str(b.Name), err)
		}
		r := rand.New(rand.NewPCG(seed, nameSeed(p.Str(b.Name))))
		row := make([]float32, a.Width)
		for at := range min(pos, a.Rows) {
			for j := range row {
				row[j] = float32(r.NormFloat64())
			}
			a.SetRow(at, row)
		}
	}
	d.Reset()
	binary.LittleEndian.PutUint64(d.ctl[plan.CtlPos:], uint64(pos))
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

// Buffer returns the bytes of the first buffer with that name, for inspection. They change
// with every step.
func (d *Device) Buffer(name string) ([]byte, error) {
	for i := range d.plan.Bufs {
		if d.plan.Str(d.plan.Bufs[i].Name) == name {
			return d.bufs[i], nil
		}
	}
	return nil, fmt.Errorf("the plan has no buffer %q", name)
}

// BufferAt returns the bytes of buffer i of the plan.
func (d *Device) BufferAt(i int32) []byte { return d.bufs[i] }

// Bytes returns what the device allocated: all regions but the weights, in bytes.
func (d *Device) Bytes() uint64 {
	var n uint64
	for i := range d.regions {
		n += uint64(len(d.regions[i].bytes))
	}
	return n
}
