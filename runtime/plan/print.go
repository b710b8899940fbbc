package plan

import (
	"slices"
	"strconv"
)

// printer gathers the text. Each method writes whole lines.
type printer struct {
	p *Plan
	b []byte
}

func (pr *printer) plan() {
	pr.head()
	for i := range pr.p.Bufs {
		if pr.p.Bufs[i].Entry == None {
			pr.buf(int32(i))
		}
	}
	for i := range pr.p.Weights {
		pr.weight(&pr.p.Weights[i])
	}
	for i := range pr.p.Entries {
		pr.entry(int32(i))
	}
	for i := range pr.p.Kernels {
		pr.blobs(&pr.p.Kernels[i])
	}
}

// head writes what stands before the buffers.
func (pr *printer) head() {
	p := pr.p
	if len(p.Meta) > 0 {
		pr.raw("plan")
		for _, kv := range p.Meta {
			pr.key(p.Str(kv.Key)).quote(kv.Val, chValue)
		}
		pr.nl()
	}
	for _, b := range p.Buckets {
		pr.raw("bucket ").quote(b.Name, chLabel).key("need").uint(b.Need).key("max").uint(b.Max).nl()
	}
	for _, d := range p.Dyns {
		pr.raw("dyn ").quote(d, chLabel).nl()
	}
	for i := range p.Regions {
		r := &p.Regions[i]
		pr.raw("region ").quote(r.Name, chName).raw(" " + r.Kind.String() + " ").uint(r.Size)
		if r.Gen != 0 {
			pr.key("gen").uint(r.Gen)
		}
		pr.nl()
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		pr.raw("source ").uint(uint64(i)).raw(" " + strconv.Quote(p.Str(s.File)) + ":").uint(uint64(s.Line))
		pr.raw(":").uint(uint64(s.Col)).raw(" " + strconv.Quote(p.Str(s.Text))).nl()
	}
	for i := range p.Kernels {
		pr.kernel(&p.Kernels[i])
	}
}

// entry writes an entry with its buffers and its order. The line itself is left out for the
// one nameless entry of a hand-written plan.
func (pr *printer) entry(i int32) {
	p, e := pr.p, &pr.p.Entries[i]
	lo, hi := p.entryBufs(i)
	plain := p.Str(e.Name) == "" && e.Rows == 1 && e.Outs == 0 && e.Arena == 0
	if len(p.Entries) > 1 || !plain || lo < hi || e.Items.Len == 0 {
		if len(pr.b) > 0 {
			pr.nl()
		}
		pr.entryLine(e)
	}
	for b := lo; b < hi; b++ {
		pr.buf(b)
	}
	for _, it := range p.EntryItems(e) {
		pr.item(it)
	}
}

func (pr *printer) entryLine(e *Entry) {
	pr.raw("entry ").quote(e.Name, chLabel).key("rows").uint(uint64(e.Rows))
	if e.Outs != 0 {
		pr.key("outs").uint(uint64(e.Outs))
	}
	if e.Arena != 0 {
		pr.key("arena").uint(e.Arena)
	}
	pr.nl()
}

// entryBufs returns the buffers of an entry as a range of indices: buffers are sorted by entry.
func (p *Plan) entryBufs(entry int32) (lo, hi int32) {
	find := func(e int32) int32 {
		i, _ := slices.BinarySearchFunc(p.Bufs, e, func(b Buf, e int32) int { return int(b.Entry) - int(e) })
		return int32(i)
	}
	return find(entry), find(entry + 1)
}

func (pr *printer) item(it Item) {
	switch it.Kind {
	case DoStep:
		s := &pr.p.Steps[it.Index]
		if l := s.Launch; l != None && pr.p.Launches[l].First == it.Index {
			pr.launch(l)
		}
		pr.step(it.Index)
	case Record, Wait:
		stream := pr.p.Str(it.Stream)
		if stream == "" {
			stream = mainStream
		}
		pr.raw(it.Kind.String()+" ").quote(it.Name, chLabel).raw(" @" + quoteUnless(stream, chLabel)).nl()
	default:
		pr.raw(it.Kind.String()).nl()
	}
}

func (pr *printer) launch(i int32) {
	l := &pr.p.Launches[i]
	pr.raw("launch ").uint(uint64(i))
	if l.Kernel != None {
		pr.key("kernel").quote(pr.p.Kernels[l.Kernel].Name, chLabel)
	}
	pr.key("grid").dims32(l.Grid[:]).key("block").dims32(l.Block[:])
	if l.Shared != 0 {
		pr.key("shared").uint(uint64(l.Shared))
	}
	pr.nl()
}

// The pieces of a line.

func (pr *printer) raw(s string) *printer {
	pr.b = append(pr.b, s...)
	return pr
}

func (pr *printer) nl() { pr.b = append(pr.b, '\n') }

// key starts " key=".
func (pr *printer) key(k string) *printer {
	pr.b = append(append(append(pr.b, ' '), k...), '=')
	return pr
}

func (pr *printer) uint(v uint64) *printer {
	pr.b = strconv.AppendUint(pr.b, v, 10)
	return pr
}

func (pr *printer) quote(s Str, class uint8) *printer {
	pr.b = append(pr.b, quoteUnless(pr.p.Strings[s], class)...)
	return pr
}

func (pr *printer) dims32(d []uint32) *printer {
	for i, v := range d {
		if i > 0 {
			pr.b = append(pr.b, 'x')
		}
		pr.uint(uint64(v))
	}
	return pr
}

func (pr *printer) attrs(s Span) {
	for _, a := range pr.p.AttrList(s) {
		pr.key(pr.p.Strings[a.Key])
		pr.b = pr.p.appendValue(pr.b, a)
	}
}
