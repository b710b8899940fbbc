package host

import (
	"encoding/binary"
	"fmt"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// Poison values. nanBits is a NaN as float32 and, in either half, as f16 and bf16; as an
// integer it is out of every range.
const (
	nanBits = 0x7fff7fff
	badInt  = 0x80000000
)

// poisonScratch fills all memory that is undefined when a run starts.
func (d *Device) poisonScratch() {
	for i := range d.regions {
		if k := d.plan.Regions[i].Kind; k == plan.Arena || k == plan.Out {
			fill(d.regions[i].bytes, nanBits)
		}
	}
}

// poison checks the integers that s uses as indices, then fills the bytes that it must write,
// and its scratch, unless they are also read.
func (d *Device) poison(s *step) error {
	if err := d.indices(s); err != nil {
		return err
	}
	operands := d.plan.Ops(&d.plan.Steps[s.index])
	for i := range operands {
		o := &operands[i]
		if o.Effect != plan.W && o.Effect != plan.Scr {
			continue
		}
		r := d.plan.Bufs[o.Buf].Region
		at := d.touched(s, o)
		if d.readBy(s, r, at) {
			continue
		}
		switch s.call.Args[i].Type {
		case quant.I32:
			fill(d.regions[r].bytes[at.lo:at.hi], badInt)
		case quant.F32, quant.F16, quant.BF16:
			fill(d.regions[r].bytes[at.lo:at.hi], nanBits)
		}
	}
	return nil
}

// readBy reports whether s reads any of the bytes.
func (d *Device) readBy(s *step, region int32, at span) bool {
	operands := d.plan.Ops(&d.plan.Steps[s.index])
	for i := range operands {
		o := &operands[i]
		if o.Effect == plan.W || o.Effect == plan.Scr || d.plan.Bufs[o.Buf].Region != region {
			continue
		}
		if b := d.touched(s, o); b.lo < at.hi && at.lo < b.hi {
			return true
		}
	}
	return false
}

// defined reports the first element that s declares as written and that is poison or NaN.
func (d *Device) defined(s *step) error {
	operands := d.plan.Ops(&d.plan.Steps[s.index])
	for i := range operands {
		o := &operands[i]
		if o.Effect == plan.R || o.Effect == plan.Scr {
			continue
		}
		bad, width := undefined[s.call.Args[i].Type], 4
		if bad == nil {
			continue
		}
		if s.call.Args[i].Type != quant.I32 && s.call.Args[i].Type != quant.F32 {
			width = 2
		}
		at := d.touched(s, o)
		mem := d.regions[d.plan.Bufs[o.Buf].Region].bytes
		for b := at.lo; b+width <= at.hi; b += width {
			if bad(mem[b:]) {
				return fmt.Errorf("it left buffer %s without a value (NaN or poison) at byte %d",
					d.plan.Str(d.plan.Bufs[o.Buf].Name), b-int(d.offs[o.Buf]))
			}
		}
	}
	return nil
}

// undefined tells for a type whether the element at the start of b is no value.
var undefined = map[quant.Type]func(b []byte) bool{
	quant.F32:  func(b []byte) bool { return binary.LittleEndian.Uint32(b)&0x7fffffff > 0x7f800000 },
	quant.F16:  func(b []byte) bool { return binary.LittleEndian.Uint16(b)&0x7fff > 0x7c00 },
	quant.BF16: func(b []byte) bool { return binary.LittleEndian.Uint16(b)&0x7fff > 0x7f80 },
	quant.I32:  func(b []byte) bool { return binary.LittleEndian.Uint32(b) == badInt },
}

func fill(b []byte, word uint32) {
	for ; len(b) >= 4; b = b[4:] {
		binary.LittleEndian.PutUint32(b, word)
	}
	for i := range b {
		b[i] = byte(word >> (8 * i))
	}
}
