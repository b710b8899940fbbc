package emudev

import (
	"fmt"
	"slices"

	"dsac/codegen/emu"
	"dsac/runtime/check"
	"dsac/runtime/plan"
)

// binding is a step's memory in the emulator.
type binding struct {
	pieces []*emu.Buffer
	pads   []int // bytes before each piece's own
	params []emu.Param
}

// baseAlign is the alignment of a region on a GPU, in bytes: a buffer is as aligned as its
// offset says, up to this.
const baseAlign = 256

func (d *Device) bind(s *check.Step) (*binding, error) {
	b := &binding{}
	for i := range s.Pieces {
		p := &s.Pieces[i]
		pad := int(p.Off % baseAlign)
		buf := emu.NewBuffer(fmt.Sprintf("piece %d", i), pad+len(p.Data))
		copy(buf.Data[pad:], p.Data)
		for _, x := range p.Defined {
			buf.MarkInit(pad+x.Lo, pad+x.Hi)
		}
		b.pieces, b.pads = append(b.pieces, buf), append(b.pads, pad)
	}
	for i := range s.Params {
		q := &s.Params[i]
		p := emu.Param{Name: q.Name, Access: accesses[q.Effect], Multi: q.Effect == plan.Scr || overwritten(s, i)}
		if i == len(s.Params)-1 {
			p.Access = emu.Read | emu.Accum // the control buffer: its counters
		}
		if q.Piece == check.Held {
			w, err := d.weight(q.Buf)
			if err != nil {
				return nil, fmt.Errorf("buffer %s: %w", q.Name, err)
			}
			p.Buf, p.Const = w, true
		} else {
			p.Buf, p.Off, p.Size = b.pieces[q.Piece], b.pads[q.Piece]+q.Off, q.Size
			if !q.AnyRead && (q.Effect == plan.R || q.Effect == plan.RW || q.Effect == plan.Acc) {
				p.Reads = ranges(q.Reads)
			}
		}
		if len(q.Writes) > 0 {
			p.Writes = ranges(q.Writes)
		}
		if q.Effect == plan.W {
			p.Cover = p.Writes
		}
		b.params = append(b.params, p)
	}
	return b, nil
}

// overwritten says whether a launch writes bytes through parameter i and through another one as
// well: those of a step that takes the bytes of a step before it.
func overwritten(s *check.Step, i int) bool {
	q := &s.Params[i]
	for j := range s.Params {
		o := &s.Params[j]
		if j == i || o.Piece != q.Piece || o.Piece == check.Held {
			continue
		}
		for _, x := range q.Writes {
			for _, y := range o.Writes {
				if x.Lo+q.Off < y.Hi+o.Off && y.Lo+o.Off < x.Hi+q.Off {
					return true
				}
			}
		}
	}
	return false
}

// accesses says what a kernel may do through an operand. A step may read what it has written.
var accesses = map[plan.Effect]emu.Access{
	plan.R:   emu.Read,
	plan.RW:  emu.Read | emu.Write | emu.Accum,
	plan.Acc: emu.Read | emu.Write | emu.Accum,
	plan.W:   emu.Read | emu.Write | emu.Accum,
	plan.Scr: emu.Read | emu.Write | emu.Accum,
}

func ranges(spans []check.Span) []emu.Range {
	var out []emu.Range
	for _, x := range spans {
		out = append(out, emu.Range{Lo: x.Lo, Hi: x.Hi})
	}
	return out
}

// copyBack gives the step what the launch left in its pieces.
func (b *binding) copyBack(s *check.Step) {
	for i := range s.Pieces {
		copy(s.Pieces[i].Data, b.pieces[i].Data[b.pads[i]:])
	}
}

// weight returns a buffer of the const region.
func (d *Device) weight(buf int32) (*emu.Buffer, error) {
	if b := d.held[buf]; b != nil {
		return b, nil
	}
	p, w := d.plan, d.weights[buf]
	if w == nil {
		return nil, fmt.Errorf("it is constant, but no weight is bound to it")
	}
	name := p.Str(w.Name)
	if w.Axis != plan.None {
		return nil, fmt.Errorf("weight %s is a shard of a tensor: compile with --tp 1", name)
	}
	if d.from == nil {
		return nil, fmt.Errorf("weight %s: no weights were given", name)
	}
	data, err := d.from.Data(name)
	if err != nil {
		return nil, err
	}
	if layout := p.Str(w.Layout); layout != "" && layout != "gguf" {
		f := d.opt.Layouts[layout]
		if f == nil {
			return nil, fmt.Errorf("weight %s: layout %q is not known to this build", name, layout)
		}
		if data, err = f(w, data); err != nil {
			return nil, fmt.Errorf("weight %s: layout %q: %w", name, layout, err)
		}
	}
	if size := p.Bufs[buf].Size; uint64(len(data)) != size {
		return nil, fmt.Errorf("weight %s has %d bytes, the plan wants %d: compile again for this model", name, len(data), size)
	}
	b := emu.BufferOf(name, slices.Clone(data)) // the file's bytes cannot be written
	d.held[buf] = b
	return b, nil
}

// restore forgets the weights that a launch wrote to: they are made anew.
func (d *Device) restore(s *check.Step, rep *emu.Report) {
	for i := range rep.Params {
		if s.Params[i].Piece == check.Held && rep.Params[i].Stored.Hi > 0 {
			delete(d.held, s.Params[i].Buf)
		}
	}
}
