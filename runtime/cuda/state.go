package cuda

import (
	"encoding/binary"
	"fmt"

	"dsac/runtime/plan"
)

// bindControl finds the control buffer and makes its image in pinned memory, which a run
// copies to the GPU before its first step and back after its last.
func (d *Device) bindControl() error {
	found := plan.None
	for i := range d.plan.Bufs {
		if b := &d.plan.Bufs[i]; b.Role == plan.Control && b.Parent == plan.None {
			if found != plan.None {
				return fmt.Errorf("the plan has more than one control buffer: %s", d.plan.Str(b.Name))
			}
			found = int32(i)
		}
	}
	if found == plan.None {
		return fmt.Errorf("the plan has no control buffer (role=control)")
	}
	if size := d.plan.Bufs[found].Size; size < plan.CtlSize {
		return fmt.Errorf("control buffer %s has %d bytes, want %d", d.name(found), size, plan.CtlSize)
	}
	m, err := d.drv.pinned(plan.CtlSize)
	if err != nil {
		return err
	}
	clear(m.bytes)
	d.ctl = control{d.address(found), m}
	return nil
}

// setControl writes the numbers of a run into the image of the control block.
func (d *Device) setControl(n int) {
	le, b := binary.LittleEndian, d.ctl.host.bytes
	le.PutUint64(b[plan.CtlN:], uint64(n))
	le.PutUint64(b[plan.CtlLen:], uint64(d.Pos()+n))
	le.PutUint32(b[plan.CtlAccepted:], uint32(n))
	le.PutUint32(b[plan.CtlError:], 0)
}

// Pos returns the rows already in the caches: the position of the next input.
func (d *Device) Pos() int { return int(binary.LittleEndian.Uint64(d.ctl.host.bytes[plan.CtlPos:])) }

// Token returns the last token drawn.
func (d *Device) Token() int32 {
	return int32(binary.LittleEndian.Uint32(d.ctl.host.bytes[plan.CtlToken:]))
}

// Overflow returns how many rows did not fit in a 16-bit format so far.
func (d *Device) Overflow() uint32 {
	return binary.LittleEndian.Uint32(d.ctl.host.bytes[plan.CtlOverflow:])
}

// Reset starts a new sequence: position 0, no token counted as seen. Caches keep their bytes;
// no step reads rows at or past the position.
// A GPU that fails says so at the next run.
func (d *Device) Reset() {
	d.Forget()
	clear(d.ctl.host.bytes)
}

// Forget counts no id as seen any more.
func (d *Device) Forget() {
	err := d.bound(func() error {
		if d.smp.hist == plan.None {
			return nil
		}
		return d.drv.fill(d.address(d.smp.hist), 0, d.plan.Bufs[d.smp.hist].Size)
	})
	if err != nil && d.dead == nil {
		d.dead = err
	}
}

// Rewind moves the position back to pos <= Pos(): later rows of the caches count as free.
func (d *Device) Rewind(pos int) error {
	if pos < 0 || pos > d.Pos() {
		return fmt.Errorf("rewind to position %d from %d", pos, d.Pos())
	}
	binary.LittleEndian.PutUint64(d.ctl.host.bytes[plan.CtlPos:], uint64(pos))
	return nil
}

// bound calls f on a thread that the GPU is bound to, with nothing running.
func (d *Device) bound(f func() error) error {
	if d.dead != nil {
		return d.dead
	}
	if err := d.drv.bind(); err != nil {
		return err
	}
	defer d.drv.unbind()
	if err := d.settle(background); err != nil {
		return err
	}
	return f()
}
