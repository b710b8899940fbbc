package plan

import (
	"cmp"
	"math/bits"
	"slices"
)

// PadGap is the distance in bytes between buffers of the padded placement.
const PadGap = 64

// plainSizes are the bytes of an element of the types that are not blocks.
var plainSizes = map[string]uint64{"f64": 8, "i64": 8, "u64": 8, "f32": 4, "i32": 4, "u32": 4,
	"f16": 2, "bf16": 2, "i16": 2, "u16": 2, "i8": 1, "u8": 1}

// ends returns off+size and whether that fits in 64 bits.
func ends(off, size uint64) (uint64, bool) {
	end, carry := bits.Add64(off, size, 0)
	return end, carry == 0
}

func (v *verifier) bufs() {
	p := v.p
	for i := range p.Bufs {
		b, r := &p.Bufs[i], &p.Regions[p.Bufs[i].Region]
		end, ok := ends(b.Off, b.Size)
		if !ok || end > r.Size {
			v.bad("%s: %s+%d, %d bytes, leaves the region of %d bytes", p.bufName(int32(i)), p.Str(r.Name), b.Off, b.Size, r.Size)
		} else if r.Kind == Arena && b.Entry != None {
			if arena := p.Entries[b.Entry].Arena; arena != 0 && end > arena {
				v.bad("%s: ends at %d of an arena of %d bytes", p.bufName(int32(i)), end, arena)
			}
		}
		if b.Align&(b.Align-1) != 0 {
			v.bad("%s: alignment %d is not a power of two", p.bufName(int32(i)), b.Align)
		}
		v.shape(int32(i), b)
	}
	for i := range p.Entries {
		v.arena(&p.Entries[i])
	}
}

// arena checks that some arena region has the bytes that the entry claims.
func (v *verifier) arena(e *Entry) {
	var largest uint64
	for i := range v.p.Regions {
		if v.p.Regions[i].Kind == Arena {
			largest = max(largest, v.p.Regions[i].Size)
		}
	}
	if e.Arena > largest {
		v.bad("entry %s: needs an arena of %d bytes, the largest has %d", v.p.Str(e.Name), e.Arena, largest)
	}
}

func (v *verifier) shape(i int32, b *Buf) {
	size, plain := plainSizes[v.p.Str(b.DType)]
	if !plain || b.Dims == 0 || b.Flags&Stride0 != 0 {
		return
	}
	for _, d := range b.Shape[:b.Dims] {
		hi, lo := bits.Mul64(size, uint64(d))
		if hi != 0 {
			lo = 1<<64 - 1
		}
		size = lo
	}
	if size > b.Size {
		v.bad("%s: shape and type need %d bytes, it has %d", v.p.bufName(i), size, b.Size)
	}
}

func (v *verifier) relatives() {
	p := v.p
	for i := range p.Bufs {
		b := &p.Bufs[i]
		end, _ := ends(b.Off, b.Size)
		if b.Parent != None {
			up := &p.Bufs[b.Parent]
			upEnd, _ := ends(up.Off, up.Size)
			if b.Region != up.Region || b.Off < up.Off || end > upEnd {
				v.bad("%s: leaves its parent %s", p.bufName(int32(i)), p.Str(up.Name))
			}
			if len(p.Pads) > 0 && p.Pads[i]-p.Pads[b.Parent] != b.Off-up.Off {
				v.bad("%s: lies elsewhere in its parent %s in the padded placement", p.bufName(int32(i)), p.Str(up.Name))
			}
		}
		if b.InplaceOf != None {
			o := &p.Bufs[b.InplaceOf]
			oEnd, _ := ends(o.Off, o.Size)
			if b.Region != o.Region || end <= o.Off || oEnd <= b.Off {
				v.bad("%s: is in place of %s but shares no byte with it", p.bufName(int32(i)), p.Str(o.Name))
			}
		}
	}
}

func (v *verifier) lives() {
	p := v.p
	for i := range p.Bufs {
		b := &p.Bufs[i]
		steps := uint32(1<<32 - 1)
		if b.Entry != None {
			steps = p.Entries[b.Entry].Steps.Len
		} else if len(p.Entries) == 1 {
			steps = p.Entries[0].Steps.Len
		}
		if b.LifeLo != None && (b.LifeLo >= b.LifeHi || uint32(b.LifeHi) > steps) {
			v.bad("%s: life %d:%d of %d steps", p.bufName(int32(i)), b.LifeLo, b.LifeHi, steps)
		}
	}
}

func (v *verifier) controls() {
	p, first := v.p, None
	for i := range p.Bufs {
		b := &p.Bufs[i]
		if b.HasValid {
			v.valid(int32(i), b)
		}
		if b.Role != Control {
			continue
		}
		if first != None {
			v.bad("%s: a second control buffer after %s", p.bufName(int32(i)), p.Str(p.Bufs[first].Name))
		}
		first = int32(i)
		if b.Size < CtlSize || p.Regions[b.Region].Kind != State {
			v.bad("%s: a control buffer has %d bytes or more in a state region", p.bufName(first), CtlSize)
		}
	}
}

// valid checks the bytes of a state buffer that are defined when a step starts.
func (v *verifier) valid(i int32, b *Buf) {
	if b.Valid.Sym != NoSym && v.p.Ctx() == 0 {
		v.bad("%s: valid=%s depends on a symbol, but the plan has no fact ctx", v.p.bufName(i), b.Valid)
		return
	}
	for e := range v.p.Entries {
		for _, at := range v.p.Corners(&v.p.Entries[e]) {
			if n, ok := b.Valid.eval(at); !ok || n < 0 || uint64(n) > b.Size {
				v.bad("%s: valid=%s is %d bytes at n=%d pos=%d, it has %d", v.p.bufName(i), b.Valid, n, at.N, at.Pos, b.Size)
				return
			}
		}
	}
}

// padded checks that nothing is reused in the padded placement.
func (v *verifier) padded() {
	p := v.p
	if len(p.Pads) == 0 {
		return
	}
	var roots []int32
	for i := range p.Bufs {
		if b := &p.Bufs[i]; b.Parent == None && b.Entry != None && p.Regions[b.Region].Kind == Arena {
			roots = append(roots, int32(i))
		}
	}
	slices.SortFunc(roots, func(a, b int32) int {
		x, y := &p.Bufs[a], &p.Bufs[b]
		return cmp.Or(cmp.Compare(x.Entry, y.Entry), cmp.Compare(x.Region, y.Region), cmp.Compare(p.Pads[a], p.Pads[b]), cmp.Compare(a, b))
	})
	for i := 1; i < len(roots); i++ {
		a, b := roots[i-1], roots[i]
		if p.Bufs[a].Entry != p.Bufs[b].Entry || p.Bufs[a].Region != p.Bufs[b].Region {
			continue
		}
		end, ok := ends(p.Pads[a], p.Bufs[a].Size)
		if !ok || p.Pads[b] < end || p.Pads[b]-end < PadGap {
			v.bad("%s: starts at %d in the padded placement, %s ends at %d: want %d bytes between", p.bufName(b), p.Pads[b], p.Str(p.Bufs[a].Name), end, PadGap)
		}
	}
}
