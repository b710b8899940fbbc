package host

import (
	"fmt"
	"math/bits"

	"dsac/runtime/gguf"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// File returns the tensors of an open model.
func File(f *gguf.File) Weights { return gguf.ByName{File: f} }

// bindWeights points every weight buffer, and the views of it, at the tensor's own bytes.
func (d *Device) bindWeights(w Weights) error {
	p := d.plan
	for i := range p.Weights {
		if err := d.bindWeight(&p.Weights[i], w); err != nil {
			return fmt.Errorf("weight %s: %w", p.Str(p.Weights[i].Name), err)
		}
	}
	for i := range p.Bufs {
		b := &p.Bufs[i]
		if p.Regions[b.Region].Kind != plan.Const || b.Parent == plan.None {
			continue
		}
		root := p.Root(int32(i))
		mem, off := d.bufs[root], b.Off-p.Bufs[root].Off
		if b.Off < p.Bufs[root].Off || off > uint64(len(mem)) || b.Size > uint64(len(mem))-off {
			return fmt.Errorf("buffer %s: bytes [%d, +%d) leave its parent %s", p.Str(b.Name), b.Off, b.Size, p.Str(p.Bufs[root].Name))
		}
		d.bufs[i] = mem[off:][:b.Size:b.Size]
	}
	return nil
}

func (d *Device) bindWeight(w *plan.Weight, from Weights) error {
	p := d.plan
	if w.Axis != plan.None {
		return fmt.Errorf("%w: it is a shard of a tensor; compile with --tp 1", ErrUnsupported)
	}
	if from == nil {
		return fmt.Errorf("no weights were given")
	}
	data, err := from.Data(p.Str(w.Name))
	if err != nil {
		return err
	}
	if layout := d.opt.Layouts[p.Str(w.Layout)]; layout != nil {
		if data, err = layout(w, data); err != nil {
			return fmt.Errorf("layout %q: %w", p.Str(w.Layout), err)
		}
	}
	size, err := tensorBytes(p, w)
	if err != nil {
		return err
	}
	if uint64(len(data)) != size {
		return fmt.Errorf("the file has %d bytes, the plan was made for %s %v of %d: compile again for this model",
			len(data), p.Str(w.Type), w.Dims, size)
	}
	d.bufs[w.Buf] = data
	return nil
}

// tensorBytes returns the size of a weight's tensor in the file.
func tensorBytes(p *plan.Plan, w *plan.Weight) (uint64, error) {
	t, err := quant.Parse(p.Str(w.Type))
	if err != nil {
		return 0, err
	}
	if !t.Decodable() {
		return 0, fmt.Errorf("%w: blocks of %s cannot be decoded", ErrUnsupported, t)
	}
	n, err := t.RowBytes(int(w.Dims[0]))
	if err != nil {
		return 0, err
	}
	size := uint64(n)
	for _, dim := range w.Dims[1:] {
		hi, lo := bits.Mul64(size, dim)
		if hi != 0 {
			return 0, fmt.Errorf("%s %v is too large", t, w.Dims)
		}
		size = lo
	}
	return size, nil
}
