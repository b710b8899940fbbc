package host

import (
	"errors"
	"fmt"
	"math"

	"dsac/runtime/plan"
)

// region is the memory of one region of the plan; weights have none of their own.
type region struct {
	bytes []byte
	unmap func() error
}

const (
	guard = 64 // bytes before and after a buffer in the padded placement
	align = 64 // of buffers in a placement made here
)

// allocate makes the memory of all regions and the byte range of every buffer in it. Pages
// that are never touched cost nothing.
func (d *Device) allocate() error {
	offs, sizes, err := d.placement()
	d.offs = offs
	if err != nil {
		return err
	}
	p := d.plan
	d.regions = make([]region, len(p.Regions))
	d.bufs = make([][]byte, len(p.Bufs))
	for i := range p.Regions {
		if p.Regions[i].Kind == plan.Const || sizes[i] == 0 {
			continue
		}
		if sizes[i] > math.MaxInt {
			return fmt.Errorf("region %s: %d bytes are more than this machine can address", p.Str(p.Regions[i].Name), sizes[i])
		}
		mem, unmap, err := mapMemory(int(sizes[i]))
		if err != nil {
			return fmt.Errorf("region %s: %d bytes of memory: %w", p.Str(p.Regions[i].Name), sizes[i], err)
		}
		d.regions[i] = region{mem, unmap}
	}
	for i := range p.Bufs {
		b := &p.Bufs[i]
		mem := d.regions[b.Region].bytes
		if p.Regions[b.Region].Kind == plan.Const {
			continue
		}
		if offs[i] > uint64(len(mem)) || b.Size > uint64(len(mem))-offs[i] {
			return fmt.Errorf("buffer %s: bytes [%d, +%d) leave region %s of %d bytes",
				p.Str(b.Name), offs[i], b.Size, p.Str(p.Regions[b.Region].Name), len(mem))
		}
		d.bufs[i] = mem[offs[i]:][:b.Size:b.Size]
	}
	return nil
}

// placement returns the offset of every buffer in its region, and the size of every region:
// the plan's own, or with canaries the padded one.
func (d *Device) placement() (offs, sizes []uint64, err error) {
	p := d.plan
	offs, sizes = make([]uint64, len(p.Bufs)), make([]uint64, len(p.Regions))
	for i := range p.Regions {
		sizes[i] = p.Regions[i].Size
	}
	for i := range p.Bufs {
		offs[i] = p.Bufs[i].Off
	}
	if !d.opt.Canary {
		return offs, sizes, nil
	}
	clear(sizes)
	for i := range p.Bufs {
		b := &p.Bufs[i]
		if b.Parent != plan.None {
			continue
		}
		if len(p.Pads) > 0 {
			offs[i] = p.Pads[i]
		} else {
			offs[i] = sizes[b.Region] + guard
		}
		end := offs[i] + (b.Size+align-1)/align*align + guard
		if end < offs[i] {
			return nil, nil, fmt.Errorf("buffer %s: padded placement is out of range", p.Str(b.Name))
		}
		sizes[b.Region] = max(sizes[b.Region], end)
	}
	for i := range p.Bufs {
		if b := &p.Bufs[i]; b.Parent != plan.None {
			root := p.Root(int32(i))
			offs[i] = offs[root] + b.Off - p.Bufs[root].Off
		}
	}
	return offs, sizes, nil
}

func (d *Device) free() error {
	var errs []error
	for i := range d.regions {
		if r := &d.regions[i]; r.unmap != nil {
			errs = append(errs, r.unmap())
			*r = region{}
		}
	}
	return errors.Join(errs...)
}
