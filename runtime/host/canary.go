package host

import (
	"bytes"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// checker finds bytes that a step changed without declaring it. Buffers lie apart in the
// padded placement, so that a store past the end of one hits guard bytes and not a neighbour
// that the same step may write. After every step it looks at the buffers of the entry, as far
// as they are in use, and their guards; after the run at all memory.
type checker struct {
	was     [][]byte // per region: its bytes after the step before
	allowed [][]span // per region: bytes that the current step may change
	near    [][]span // per region: buffers of the entry with their guards, ascending, disjoint
}

// span is a byte range of a region.
type span struct{ lo, hi int }

// remember copies all memory, before the first step of a run of entry e that fills caches up
// to row length.
func (k *checker) remember(d *Device, e, length int) {
	n := len(d.regions)
	if k.was == nil {
		k.was, k.allowed, k.near = make([][]byte, n), make([][]span, n), make([][]span, n)
	}
	for i := range d.regions {
		k.was[i] = append(k.was[i][:0], d.regions[i].bytes...)
		k.near[i] = k.near[i][:0]
	}
	for i := range d.plan.Bufs {
		b := &d.plan.Bufs[i]
		size := len(d.regions[b.Region].bytes)
		if size == 0 || b.Entry != plan.None && int(b.Entry) != e {
			continue
		}
		lo, end := int(d.offs[i]), int(d.offs[i]+b.Size)
		if b.Layer != plan.None && b.Shape[0] > 0 {
			// Of a cache the rows in use and the next one, and its end.
			row := int(b.Size) / int(b.Shape[0])
			k.near[b.Region] = append(k.near[b.Region], span{end, min(end+guard, size)})
			end = min(lo+row*(length+1), end)
		}
		k.near[b.Region] = append(k.near[b.Region], span{max(lo-guard, 0), min(end+guard, size)})
	}
	for i := range k.near {
		k.near[i] = merge(k.near[i])
	}
}

// merge sorts spans and joins those that touch.
func merge(s []span) []span {
	slices.SortFunc(s, func(a, b span) int { return a.lo - b.lo })
	out := s[:0]
	for _, x := range s {
		if n := len(out); n > 0 && x.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, x.hi)
			continue
		}
		out = append(out, x)
	}
	return out
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
		for _, a := range k.allowed[r] {
			copy(was[a.lo:a.hi], now[a.lo:a.hi])
		}
		for _, near := range k.near[r] {
			if at := changed(now, was, near); at >= 0 {
				return fmt.Errorf("it changed %s, which it does not declare as written", d.where(s, int32(r), at))
			}
		}
	}
	return nil
}

// finish reports a byte far from the buffers of the entry that some step changed.
func (k *checker) finish(d *Device, last *step) error {
	for r := range d.regions {
		now := d.regions[r].bytes
		if at := changed(now, k.was[r], span{0, len(now)}); at >= 0 {
			return fmt.Errorf("a step changed %s, which is not in use by its entry", d.where(last, int32(r), at))
		}
	}
	return nil
}

// changed returns the first byte of s that differs, or -1.
func changed(now, was []byte, s span) int {
	const block = 4096
	for at := s.lo; at < s.hi; at += block {
		end := min(at+block, s.hi)
		if bytes.Equal(now[at:end], was[at:end]) {
			continue
		}
		for now[at] == was[at] {
			at++
		}
		return at
	}
	return -1
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
