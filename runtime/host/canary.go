package host

import (
	"bytes"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// checker finds bytes that a step changed without declaring it. Buffers lie apart in the
// padded placement, so that a store past the end of one hits guard bytes and not a
// neighbour that the same step may write.
type checker struct {
	was     [][]byte // per region: its bytes after the step before
	allowed [][]span // per region: bytes that the current step may change, ascending
}

// span is a byte range of a region.
type span struct{ lo, hi int }

// remember copies all memory, before the first step of a run.
func (k *checker) remember(d *Device) {
	if k.was == nil {
		k.was, k.allowed = make([][]byte, len(d.regions)), make([][]span, len(d.regions))
	}
	for i := range d.regions {
		k.was[i] = append(k.was[i][:0], d.regions[i].bytes...)
	}
}

// compare reports the first byte that step s changed outside of what it declares as written
// at the current n, pos and len; scratch counts as written.
func (k *checker) compare(d *Device, s *step) error {
	for i := range k.allowed {
		k.allowed[i] = k.allowed[i][:0]
	}
	operands := d.plan.Ops(&d.plan.Steps[s.index])
	for i := range operands {
		if o := &operands[i]; o.Effect != plan.R {
			r := d.plan.Bufs[o.Buf].Region
			k.allowed[r] = append(k.allowed[r], d.touched(s, o))
		}
	}
	for r := range d.regions {
		now, was := d.regions[r].bytes, k.was[r]
		slices.SortFunc(k.allowed[r], func(a, b span) int { return a.lo - b.lo })
		at := 0
		for _, a := range append(k.allowed[r], span{len(now), len(now)}) {
			if a.lo > at && !bytes.Equal(now[at:a.lo], was[at:a.lo]) {
				for now[at] == was[at] {
					at++
				}
				return fmt.Errorf("it changed %s, which it does not declare as written", d.where(s, int32(r), at))
			}
			if a.hi > a.lo {
				copy(was[a.lo:a.hi], now[a.lo:a.hi])
			}
			at = max(at, a.hi)
		}
	}
	return nil
}

// touched returns the bytes of an operand in its region, at the current n, pos and len.
func (d *Device) touched(s *step, o *plan.Operand) span {
	lo, hi := d.plan.Range(o, plan.Point{N: int64(s.call.N), Pos: int64(s.call.Pos), Len: int64(s.call.Len)})
	size := int64(len(d.bufs[o.Buf]))
	lo, hi = min(max(lo, 0), size), min(max(hi, 0), size)
	off := int(d.offs[o.Buf])
	return span{off + int(lo), off + int(hi)}
}

// where names a byte of a region by the buffer of the step's entry that holds or precedes it.
func (d *Device) where(s *step, region int32, at int) string {
	p := d.plan
	entry := plan.None
	for i := range p.Entries {
		if st := p.Entries[i].Steps; uint32(s.index) >= st.Off && uint32(s.index)-st.Off < st.Len {
			entry = int32(i)
		}
	}
	best := plan.None
	for i := range p.Bufs {
		b := &p.Bufs[i]
		if b.Region != region || b.Entry != plan.None && b.Entry != entry || int(d.offs[i]) > at {
			continue
		}
		if best == plan.None || d.offs[i] >= d.offs[best] {
			best = int32(i)
		}
	}
	if best == plan.None {
		return fmt.Sprintf("byte %d of region %s, before the first buffer", at, p.Str(p.Regions[region].Name))
	}
	off := at - int(d.offs[best])
	name := p.Str(p.Bufs[best].Name)
	if size := len(d.bufs[best]); off >= size {
		return fmt.Sprintf("the guard of buffer %s, %d bytes past its end at byte %d", name, off-size, size)
	}
	return fmt.Sprintf("buffer %s at byte %d", name, off)
}
