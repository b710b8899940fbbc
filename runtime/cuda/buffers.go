package cuda

import (
	"context"
	"fmt"
)

var background = context.Background()

// Buffer returns a copy of the first buffer with that name.
func (d *Device) Buffer(name string) ([]byte, error) {
	for i := range d.plan.Bufs {
		if d.name(int32(i)) == name {
			return d.ReadBuffer(int32(i))
		}
	}
	return nil, fmt.Errorf("the plan has no buffer %q", name)
}

// ReadBuffer returns a copy of buffer i of the plan. It may be called by a hook.
func (d *Device) ReadBuffer(i int32) ([]byte, error) {
	b := make([]byte, d.plan.Bufs[i].Size)
	err := d.bound(func() error { return d.drv.read(b, d.address(i)) })
	if err != nil {
		return nil, fmt.Errorf("reading buffer %s: %w", d.name(i), err)
	}
	return b, nil
}

// BufferAt is ReadBuffer that gives nil when the GPU fails, which the next run then says.
func (d *Device) BufferAt(i int32) []byte {
	b, err := d.ReadBuffer(i)
	if err != nil && d.dead == nil {
		d.dead = err
	}
	return b
}

// SetBufferAt overwrites the start of buffer i of the plan. It may be called by a hook.
func (d *Device) SetBufferAt(i int32, data []byte) error {
	if uint64(len(data)) > d.plan.Bufs[i].Size {
		return fmt.Errorf("%d bytes for buffer %s of %d", len(data), d.name(i), d.plan.Bufs[i].Size)
	}
	d.forgetIDs()
	return d.bound(func() error { return d.drv.write(d.address(i), data) })
}

// Region returns a copy of all bytes of region i of the plan, guards included.
func (d *Device) Region(i int32) ([]byte, error) {
	b := make([]byte, d.sizes[i])
	err := d.bound(func() error { return d.drv.read(b, d.bases[i]) })
	return b, err
}

// FillRegion fills region i of the plan with a word.
func (d *Device) FillRegion(i int32, word uint32) error {
	d.forgetIDs()
	return d.bound(func() error { return d.drv.fill(d.bases[i], word, (d.sizes[i]+3)/4*4) })
}

// Offset returns where buffer i lies in its region, in bytes.
func (d *Device) Offset(i int32) uint64 { return d.offs[i] }
