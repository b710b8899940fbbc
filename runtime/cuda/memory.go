package cuda

import (
	"errors"
	"fmt"

	"dsac/runtime/plan"
)

// binding is what the plan's numbers mean on this GPU: the addresses of its regions, the
// handles of its kernels. All of it is fixed once the device is loaded.
type binding struct {
	plan  *plan.Plan
	arch  string   // of the GPU, sm_NN
	bases []uint64 // per region: device address; 0 if it is empty
	sizes []uint64 // per region: bytes
	offs  []uint64 // per buffer: bytes from the start of its region
	fns   []uint64 // per kernel: handle
	ctl   control
	early bool // launches may start before the ones ahead of them have ended
}

// address returns where a buffer lies on the GPU.
func (b *binding) address(buf int32) uint64 { return b.bases[b.plan.Bufs[buf].Region] + b.offs[buf] }

// name returns a buffer's name.
func (b *binding) name(buf int32) string { return b.plan.Str(b.plan.Bufs[buf].Name) }

const guard = 64 // bytes after a buffer in the padded placement

// place finds the offset of every buffer and the size of every region: the plan's own, or
// those of its padded placement, in which buffers do not share bytes.
func (b *binding) place(padded bool) error {
	p := b.plan
	b.offs, b.sizes = make([]uint64, len(p.Bufs)), make([]uint64, len(p.Regions))
	if padded && len(p.Pads) != len(p.Bufs) {
		return fmt.Errorf("the plan has no padded placement: compile it again")
	}
	for i := range p.Regions {
		b.sizes[i] = p.Regions[i].Size
	}
	for i := range p.Bufs {
		buf, root := &p.Bufs[i], p.Root(int32(i))
		if b.offs[i] = buf.Off; padded {
			b.offs[i] = p.Pads[root] + buf.Off - p.Bufs[root].Off
			b.sizes[buf.Region] = max(b.sizes[buf.Region], b.offs[i]+buf.Size+guard)
		}
		if size := b.sizes[buf.Region]; b.offs[i] > size || buf.Size > size-b.offs[i] {
			return fmt.Errorf("buffer %s: bytes [%d, +%d) leave region %s of %d bytes",
				b.name(int32(i)), b.offs[i], buf.Size, p.Str(p.Regions[buf.Region].Name), size)
		}
	}
	return nil
}

// allocate makes the memory of all regions, zeroed.
func (d *Device) allocate() error {
	if err := d.room(); err != nil {
		return err
	}
	p := d.plan
	d.bases = make([]uint64, len(p.Regions))
	for i, size := range d.sizes {
		if size == 0 {
			continue
		}
		size = (size + 3) / 4 * 4
		at, err := d.drv.alloc(size)
		if err != nil {
			return fmt.Errorf("region %s: %s: %w", p.Str(p.Regions[i].Name), mib(size), err)
		}
		d.bases[i] = at
		if err := d.drv.fill(at, 0, size); err != nil {
			return fmt.Errorf("region %s: %w", p.Str(p.Regions[i].Name), err)
		}
	}
	return nil
}

// reserve is memory that is needed beside the regions: code, graphs, stacks of kernels, and while
// weights are loaded what is to be repacked.
const reserve = 256 << 20

// room refuses a plan that does not fit, before anything is copied.
func (d *Device) room() error {
	free, total, err := d.drv.memory()
	if err != nil {
		return err
	}
	var need uint64
	kinds := map[plan.RegionKind]uint64{}
	for i, size := range d.sizes {
		need += size
		kinds[d.plan.Regions[i].Kind] += size
	}
	if need+reserve <= free {
		return nil
	}
	weights, caches := kinds[plan.Const], kinds[plan.State]
	return fmt.Errorf("%s: the plan needs %s (weights %s, caches %s, the rest %s) and %s for the driver, free are %s of %s: %s",
		d.drv.gpu(), mib(need), mib(weights), mib(caches), mib(need-weights-caches), mib(reserve), mib(free), mib(total),
		lower(free, total, need, weights, caches))
}

// lower says what makes a plan smaller, the most promising first.
func lower(free, total, need, weights, caches uint64) string {
	switch {
	case need+reserve <= total:
		return "close the other programs that use this GPU, or compile with a smaller --ctx or --chunk"
	case weights+reserve > total:
		return "the weights alone do not fit: take a smaller quantisation, or more GPUs with --tp"
	case caches > need-weights-caches:
		return "compile with a smaller --ctx"
	}
	return "compile with a smaller --chunk or --ctx"
}

// mib writes a size for people.
func mib(n uint64) string {
	if n >= 10<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// free gives everything back.
func (d *Device) free() error {
	var errs []error
	for _, e := range d.entries {
		if e.exec != nil {
			errs = append(errs, e.exec.destroy())
		}
	}
	for _, m := range d.modules {
		errs = append(errs, d.drv.unload(m))
	}
	for _, at := range d.bases {
		if at != 0 {
			errs = append(errs, d.drv.release(at))
		}
	}
	for _, m := range []*pinned{d.ctl.host, d.ids.host} {
		if m != nil {
			errs = append(errs, d.drv.unpin(m))
		}
	}
	return errors.Join(errs...)
}
