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
	if err := d.ReadAt(i, 0, b); err != nil {
		return nil, err
	}
	return b, nil
}

// ReadAt copies bytes of buffer i of the plan, from offset off on, to dst.
func (d *Device) ReadAt(i int32, off uint64, dst []byte) error {
	if err := d.inside(i, off, len(dst)); err != nil || len(dst) == 0 {
		return err
	}
	if err := d.bound(func() error { return d.drv.read(dst, d.address(i)+off) }); err != nil {
		return fmt.Errorf("reading buffer %s: %w", d.name(i), err)
	}
	return nil
}

// WriteAt overwrites bytes of buffer i of the plan, from offset off on. It may be called by a
// hook.
func (d *Device) WriteAt(i int32, off uint64, src []byte) error {
	if err := d.inside(i, off, len(src)); err != nil || len(src) == 0 {
		return err
	}
	d.forgetIDs()
	return d.bound(func() error { return d.drv.write(d.address(i)+off, src) })
}

// inside says when n bytes at off are not all the buffer's.
func (d *Device) inside(i int32, off uint64, n int) error {
	if size := d.plan.Bufs[i].Size; off > size || uint64(n) > size-off {
		return fmt.Errorf("%d bytes at %d of buffer %s of %d", n, off, d.name(i), size)
	}
	return nil
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
func (d *Device) SetBufferAt(i int32, data []byte) error { return d.WriteAt(i, 0, data) }

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
