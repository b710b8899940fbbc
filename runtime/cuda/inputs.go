package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// input is the buffer of token ids: the caller writes host, a run copies what differs from
// what the GPU is known to hold.
type input struct {
	buf  int32
	host *pinned
	ids  []int32 // host.bytes
	held []int32 // on the GPU
}

// sampling are the buffers that say how tokens are drawn, plan.None without an op sample.
type sampling struct {
	params, mask, hist int32
	vocab              int
}

// Ops by which inputs are known, with the places of their operands.
const (
	opEmbed  = "embed"  // ids, weights, ...
	opSample = "sample" // logits, params, mask, hist, ...
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
		case op == opSample && len(os) >= 4:
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

// SetParams says how the next tokens are drawn. Until it is called they are drawn greedily.
func (d *Device) SetParams(p sample.Params) error {
	return d.bound(func() error { return d.setParams(p) })
}

func (d *Device) setParams(p sample.Params) error {
	if err := p.Check(); err != nil {
		return err
	}
	if d.smp.params == plan.None || d.plan.Bufs[d.smp.params].Size < plan.SmpSize {
		return fmt.Errorf("the plan draws no tokens")
	}
	le, b := binary.LittleEndian, make([]byte, plan.SmpSize)
	le.PutUint32(b[plan.SmpTemp:], math.Float32bits(p.Temperature))
	le.PutUint32(b[plan.SmpTopK:], uint32(p.TopK))
	le.PutUint32(b[plan.SmpTopP:], math.Float32bits(p.TopP))
	le.PutUint32(b[plan.SmpMinP:], math.Float32bits(p.MinP))
	le.PutUint32(b[plan.SmpPenalty:], math.Float32bits(p.Repeat))
	le.PutUint64(b[plan.SmpSeed:], p.Seed)
	return d.drv.write(d.address(d.smp.params), b)
}

// Mask excludes ids [from, to) from being drawn.
func (d *Device) Mask(from, to int) error {
	if d.smp.mask == plan.None || from < 0 || to > d.smp.vocab || from > to {
		return fmt.Errorf("mask of ids [%d, %d): the plan has %d", from, to, d.smp.vocab)
	}
	ones := make([]byte, to-from)
	for i := range ones {
		ones[i] = 1
	}
	return d.bound(func() error { return d.drv.write(d.address(d.smp.mask)+uint64(from), ones) })
}

// Seen counts ids of a prompt for the repetition penalty. Tokens drawn count by themselves.
func (d *Device) Seen(ids ...int32) error {
	if len(ids) == 0 {
		return nil
	}
	if d.smp.hist == plan.None {
		return fmt.Errorf("the plan draws no tokens")
	}
	hist := make([]byte, d.plan.Bufs[d.smp.hist].Size)
	for _, id := range ids {
		if id < 0 || 4*int(id) >= len(hist) {
			return fmt.Errorf("token id %d is outside the vocabulary of %d", id, len(hist)/4)
		}
	}
	return d.bound(func() error {
		at, le := d.address(d.smp.hist), binary.LittleEndian
		if err := d.drv.read(hist, at); err != nil {
			return err
		}
		for _, id := range ids {
			le.PutUint32(hist[4*id:], le.Uint32(hist[4*id:])+1)
		}
		return d.drv.write(at, hist)
	})
}
