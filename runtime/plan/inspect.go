package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Filter says which part of a plan to print. Empty fields do not restrict. Step and Buf
// cannot be given both.
type Filter struct {
	Entry string
	Step  string // one op line with the buffers it touches
	Buf   string // a buffer's line and its history: who writes it, who reads it
}

// PrintPart writes the part of p that f selects, in the words of the text form. An entry that
// matches nothing is left out; a filter that matches nothing at all is an error.
func PrintPart(w io.Writer, p *Plan, f Filter) error {
	if f == (Filter{}) {
		return Print(w, p)
	}
	if f.Step != "" && f.Buf != "" {
		return fmt.Errorf("filter: give a step or a buffer, not both")
	}
	if err := Sound(p); err != nil {
		return err
	}
	pr := printer{p: p}
	found := false
	for i := range p.Entries {
		if f.Entry != "" && p.Str(p.Entries[i].Name) != f.Entry {
			continue
		}
		switch {
		case f.Step != "":
			found = pr.oneStep(int32(i), f.Step) || found
		case f.Buf != "":
			found = pr.history(int32(i), f.Buf) || found
		default:
			pr.entry(int32(i))
			found = true
		}
	}
	if !found {
		return fmt.Errorf("filter: the plan has no %s", f)
	}
	_, err := w.Write(pr.b)
	return err
}

// String names what the filter looks for.
func (f Filter) String() string {
	var parts []string
	if f.Step != "" {
		parts = append(parts, "op "+f.Step)
	}
	if f.Buf != "" {
		parts = append(parts, "buffer "+f.Buf)
	}
	if f.Entry != "" {
		parts = append(parts, "entry "+f.Entry)
	}
	return strings.Join(parts, " in ")
}

// oneStep writes an op and the buffers that it touches.
func (pr *printer) oneStep(entry int32, name string) bool {
	p := pr.p
	e := &p.Entries[entry]
	for i := e.Steps.Off; i < e.Steps.Off+e.Steps.Len; i++ {
		s := &p.Steps[i]
		if p.Str(s.Name) != name {
			continue
		}
		pr.entryLine(e)
		var bufs []int32
		for _, o := range p.Ops(s) {
			for b := o.Buf; b != None; b = p.Bufs[b].Parent {
				bufs = append(bufs, b)
			}
		}
		slices.Sort(bufs)
		for _, b := range slices.Compact(bufs) {
			pr.buf(b)
		}
		if s.Launch != None {
			pr.launch(s.Launch)
		}
		pr.step(int32(i))
		if s.Source != None {
			src := &p.Sources[s.Source]
			pr.raw(fmt.Sprintf("# %s:%d:%d: %s\n", p.Str(src.File), src.Line, src.Col, p.Str(src.Text)))
		}
		return true
	}
	return false
}

// history writes a buffer and each use of its bytes in the order of the entry. A use through
// another buffer on the same bytes is shown with that buffer's name.
func (pr *printer) history(entry int32, name string) bool {
	p := pr.p
	me := p.find(entry, name)
	if me == None {
		return false
	}
	e := &p.Entries[entry]
	pr.entryLine(e)
	pr.buf(me)
	for i := e.Steps.Off; i < e.Steps.Off+e.Steps.Len; i++ {
		s := &p.Steps[i]
		for j := range p.Ops(s) {
			o := &p.Ops(s)[j]
			if !p.touch(me, o.Buf) {
				continue
			}
			pr.raw(fmt.Sprintf("# %d %s %s ", i-e.Steps.Off, p.Str(s.Name), o.Effect))
			pr.operand(o)
			pr.nl()
		}
	}
	return true
}

// find returns the buffer that a name means in an entry.
func (p *Plan) find(entry int32, name string) int32 {
	for i := range p.Bufs {
		if b := &p.Bufs[i]; (b.Entry == None || b.Entry == entry) && p.Str(b.Name) == name {
			return int32(i)
		}
	}
	return None
}

// touch says whether two buffers share a byte.
func (p *Plan) touch(a, b int32) bool {
	x, y := &p.Bufs[a], &p.Bufs[b]
	if a == b {
		return true
	}
	xEnd, _ := ends(x.Off, x.Size)
	yEnd, _ := ends(y.Off, y.Size)
	return x.Region == y.Region && x.Off < yEnd && y.Off < xEnd
}
