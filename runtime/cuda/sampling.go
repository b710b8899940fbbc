package cuda

import (
	"encoding/binary"
	"fmt"
	"math"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// sampling are the buffers that say how tokens are drawn, plan.None without an op sample.
type sampling struct {
	params, mask, hist int32
	vocab              int
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
	le.PutUint32(b[plan.SmpTopK:], uint32(min(p.TopK, math.MaxInt32)))
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
