package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"dsac/runtime/plan"
)

// makeUp fills the buffers that keep says yes to with random data made on the GPU.
func (d *Device) makeUp(ctx context.Context, keep func(b *plan.Buf) bool) (err error) {
	m, err := d.meter()
	if err != nil {
		return err
	}
	f := newFiller(m)
	defer func() {
		for _, at := range f.held() {
			err = errors.Join(err, d.drv.release(at))
		}
	}()
	for i := range d.plan.Bufs {
		b := &d.plan.Bufs[i]
		if b.Parent != plan.None || b.Size == 0 || !keep(b) {
			continue
		}
		if err := f.fill(ctx, d.plan, b, d.address(int32(i)), b.Size/16*16); err != nil {
			return fmt.Errorf("buffer %s: %w", d.name(int32(i)), err)
		}
	}
	return nil
}

// MakeUpState fills whole caches with random values and sets the position, faster than
// RandomState: the values are made on the GPU and are those of no other device.
func (d *Device) MakeUpState(ctx context.Context, pos int) error {
	if n := d.plan.Ctx(); pos < 0 || n > 0 && int64(pos) > n {
		return fmt.Errorf("made-up state of %d rows: the plan has room for %d", pos, n)
	}
	err := d.measured(ctx, func() error {
		return d.makeUp(ctx, func(b *plan.Buf) bool {
			return d.plan.Regions[b.Region].Kind == plan.State && b.Layer != plan.None
		})
	})
	if err != nil {
		return err
	}
	d.Reset()
	binary.LittleEndian.PutUint64(d.ctl.host.bytes[plan.CtlPos:], uint64(pos))
	return d.dead
}
