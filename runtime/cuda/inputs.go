package cuda

import (
	"fmt"
	"slices"
	"unsafe"

	"dsac/runtime/plan"
)

// input is the buffer of token ids: the caller writes host, a run copies what differs from
// what the GPU is known to hold.
type input struct {
	buf  int32
	host *pinned
	ids  []int32 // host.bytes
	held []int32 // on the GPU
}

// Ops by which inputs are known, with the places of their operands.
const (
	opEmbed  = "embed"  // ids, weights, ...
	opSample = "sample" // logits, params, mask, hist, ...
	opPeaks  = "sample_peaks"
)

// bindInputs finds the inputs in the operands of an entry's steps.
func (d *Device) bindInputs(index int, e *entry) error {
	if index == 0 {
		d.smp = sampling{params: plan.None, mask: plan.None, hist: plan.None}
	}
	p := d.plan
	steps := p.EntrySteps(&p.Entries[index])
	for i := range steps {
		os := p.Ops(&steps[i])
		switch op := p.Str(steps[i].Op); {
		case op == opEmbed && len(os) >= 2:
			e.vocab = int(p.Bufs[os[1].Buf].Shape[0])
			if err := d.bindIDs(os[0].Buf); err != nil {
				return err
			}
		case (op == opSample || op == opPeaks) && len(os) >= 4:
			e.draws, e.logits = true, os[0].Buf
			d.smp = sampling{os[1].Buf, os[2].Buf, os[3].Buf, int(p.Bufs[os[2].Buf].Size)}
		}
	}
	if e.vocab > 0 && len(d.ids.ids) < e.rows {
		return fmt.Errorf("room for %d input ids, but %d rows", len(d.ids.ids), e.rows)
	}
	if e.logits == plan.None {
		e.logits = d.result(steps)
	}
	if e.logits != plan.None {
		e.row = make([]float32, d.width(e.logits))
	}
	return nil
}

func (d *Device) bindIDs(buf int32) error {
	if d.ids.host != nil && d.ids.buf == buf {
		return nil
	}
	if d.ids.host != nil {
		return fmt.Errorf("%w: ids in two buffers, %s and %s", ErrUnsupported, d.name(d.ids.buf), d.name(buf))
	}
	m, err := d.drv.pinned(int(d.plan.Bufs[buf].Size))
	if err != nil {
		return err
	}
	n := len(m.bytes) / 4
	d.ids = input{buf, m, unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(m.bytes))), n), make([]int32, n)}
	clear(d.ids.ids)
	d.forgetIDs()
	return nil
}

// result returns the last float32 buffer that a step writes to an out region, or plan.None.
func (d *Device) result(steps []plan.Step) int32 {
	found := plan.None
	for i := range steps {
		for _, o := range d.plan.Ops(&steps[i]) {
			b := &d.plan.Bufs[o.Buf]
			if o.Effect == plan.W && d.plan.Regions[b.Region].Kind == plan.Out && d.plan.Str(b.DType) == "f32" {
				found = o.Buf
			}
		}
	}
	return found
}

// width returns the values in a row of a float32 buffer.
func (d *Device) width(buf int32) int {
	b := &d.plan.Bufs[buf]
	if b.Dims == 0 {
		return int(b.Size / 4)
	}
	return int(b.Shape[b.Dims-1])
}

// sendIDs copies the first n ids if the GPU does not hold them already: after a token is drawn
// it does.
func (d *Device) sendIDs(n int) error {
	if slices.Equal(d.ids.ids[:n], d.ids.held[:n]) {
		return nil
	}
	if err := d.drv.write(d.address(d.ids.buf), d.ids.host.bytes[:4*n]); err != nil {
		return err
	}
	copy(d.ids.held[:n], d.ids.ids[:n])
	return nil
}

// forgetIDs makes the next run send all its ids.
func (d *Device) forgetIDs() {
	for i := range d.ids.held {
		d.ids.held[i] = noID
	}
}

// noID is no token id.
const noID = -1 << 31

// IDs returns the input ids, which the caller sets before a run. After a run IDs()[0] is the
// token drawn, so that decoding needs no copy.
func (d *Device) IDs() []int32 { return d.ids.ids }

// Logits copies a row of the logits of entry e after a run: with one row of logits, row 0
// belongs to the last live row. The values are good until the next call. It is nil when the
// entry has no such row, or the GPU fails.
func (d *Device) Logits(e, row int) []float32 {
	if d.dead != nil || e < 0 || e >= len(d.entries) || d.entries[e].logits == plan.None {
		return nil
	}
	en := d.entries[e]
	b := &d.plan.Bufs[en.logits]
	size := 4 * len(en.row)
	if row < 0 || uint64(size)*uint64(row+1) > b.Size || d.drv.bind() != nil {
		return nil
	}
	defer d.drv.unbind()
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(en.row))), size)
	if err := d.drv.read(bytes, d.address(en.logits)+uint64(row*size)); err != nil {
		d.dead = fmt.Errorf("reading the logits: %w", err)
		return nil
	}
	return en.row
}
