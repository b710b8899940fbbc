package host

import (
	"encoding/binary"
	"fmt"
	"math"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
	"dsac/runtime/sample"
)

// inputs are the buffers that the caller fills or reads between runs, found by the ops that
// use them: the same for all entries, except the logits.
type inputs struct {
	ids    []int32
	params []byte  // layout plan.Smp*
	mask   []byte  // 1: this row of the logits is never drawn
	hist   []int32 // how often an id occurred so far

	row []float32 // a decoded row of 16-bit logits
}

// bindInputs finds the inputs in the operands of an entry's steps.
func (d *Device) bindInputs(e *entry) error {
	for _, s := range e.steps {
		args := s.call.Args
		switch s.op {
		case "embed":
			e.ids, e.vocab = args[0].I32, args[1].Rows
			d.inputs.ids = e.ids
		case "sample", "sample_peaks":
			e.logits = &args[0]
			d.inputs.params, d.inputs.mask, d.inputs.hist = args[1].Data, args[2].Data, args[3].I32
		}
	}
	if e.ids != nil && len(e.ids) < e.rows {
		return fmt.Errorf("room for %d input ids, but %d rows", len(e.ids), e.rows)
	}
	if e.logits == nil {
		e.logits = d.result(e)
	}
	return nil
}

// result returns the last operand of floats that a step of e writes to an out region, or nil.
func (d *Device) result(e *entry) *ref.Arg {
	var found *ref.Arg
	for _, s := range e.steps {
		operands := d.plan.Ops(&d.plan.Steps[s.index])
		for i := range operands {
			o := &operands[i]
			if o.Effect == plan.W && d.plan.Regions[d.plan.Bufs[o.Buf].Region].Kind == plan.Out && s.call.Args[i].Type != quant.I32 && s.call.Args[i].Type != quant.I8 {
				found = &s.call.Args[i]
			}
		}
	}
	return found
}

// IDs returns the input ids, which the caller sets before a run. After a run IDs()[0] is the
// token drawn, so that decoding needs no copy.
func (d *Device) IDs() []int32 { return d.inputs.ids }

// Logits returns a row of the logits of entry e after a run: with one row of logits, row 0
// belongs to the last live row. It is valid until the next call or run, and nil when the entry
// has no such row.
func (d *Device) Logits(e, row int) []float32 {
	if e < 0 || e >= len(d.entries) || d.entries[e].logits == nil {
		return nil
	}
	a := d.entries[e].logits
	if row < 0 || row >= a.Rows {
		return nil
	}
	if cap(d.inputs.row) < a.Cols {
		d.inputs.row = make([]float32, a.Cols)
	}
	return a.Row(row, d.inputs.row[:a.Cols])
}

// SetParams says how the next tokens are drawn. Until it is called they are drawn greedily.
func (d *Device) SetParams(p sample.Params) error {
	if err := p.Check(); err != nil {
		return err
	}
	if len(d.inputs.params) < plan.SmpSize {
		return fmt.Errorf("the plan draws no tokens")
	}
	le, b := binary.LittleEndian, d.inputs.params
	le.PutUint32(b[plan.SmpTemp:], math.Float32bits(p.Temperature))
	le.PutUint32(b[plan.SmpTopK:], uint32(min(p.TopK, math.MaxInt32)))
	le.PutUint32(b[plan.SmpTopP:], math.Float32bits(p.TopP))
	le.PutUint32(b[plan.SmpMinP:], math.Float32bits(p.MinP))
	le.PutUint32(b[plan.SmpPenalty:], math.Float32bits(p.Repeat))
	le.PutUint64(b[plan.SmpSeed:], p.Seed)
	return nil
}

// Mask excludes ids [from, to) from being drawn.
func (d *Device) Mask(from, to int) error {
	if from < 0 || to > len(d.inputs.mask) || from > to {
		return fmt.Errorf("mask of ids [%d, %d): the plan has %d", from, to, len(d.inputs.mask))
	}
	for i := from; i < to; i++ {
		d.inputs.mask[i] = 1
	}
	return nil
}

// Seen counts ids of a prompt for the repetition penalty. Tokens drawn count by themselves.
func (d *Device) Seen(ids ...int32) error {
	for _, id := range ids {
		if id < 0 || int(id) >= len(d.inputs.hist) {
			return fmt.Errorf("token id %d is outside the vocabulary of %d", id, len(d.inputs.hist))
		}
	}
	for _, id := range ids {
		d.inputs.hist[id]++
	}
	return nil
}

// Forget counts no id as seen any more.
func (d *Device) Forget() { clear(d.inputs.hist) }
