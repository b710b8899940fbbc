package plan

import "strconv"

// step writes an op line.
func (pr *printer) step(i int32) {
	p, s := pr.p, &pr.p.Steps[i]
	pr.raw("op ").quote(s.Name, chLabel)
	if s.Stream != 0 {
		pr.raw(" @").quote(s.Stream, chLabel)
	}
	if s.Op != 0 {
		pr.key("kind").quote(s.Op, chLabel)
	}
	os := p.Ops(s)
	for j := range os {
		if j > 0 && os[j].Effect == os[j-1].Effect {
			pr.raw(",")
		} else {
			pr.key(os[j].Effect.String())
		}
		pr.operand(&os[j])
	}
	pr.attrs(s.Attrs)
	for bit, name := range stepFlagNames {
		if s.Flags&(1<<bit) != 0 {
			pr.raw(" " + name)
		}
	}
	pr.late(os)
	if s.Source != None {
		pr.key("src").uint(uint64(s.Source))
	}
	if s.Launch != None {
		pr.key("launch").uint(uint64(s.Launch))
	}
	pr.nl()
}

func (pr *printer) operand(o *Operand) {
	p := pr.p
	pr.quote(p.Bufs[o.Buf].Name, chName)
	if o.Hi != Whole {
		pr.b = o.Lo.appendTo(append(pr.b, '['))
		pr.b = o.Hi.appendTo(append(pr.b, ':'))
		pr.b = append(pr.b, ']')
	}
	if o.Cols > 0 {
		pr.raw("{").uint(uint64(o.Col)).raw(":").uint(uint64(o.Col) + uint64(o.Cols)).raw("}")
	}
	for i, e := range p.Expected(o) {
		if i == 0 {
			pr.raw("<")
		} else {
			pr.raw("|")
		}
		pr.quote(p.Steps[e].Name, chLabel)
	}
	if o.Expect.Len > 0 {
		pr.raw(">")
	}
	if o.DType != 0 {
		pr.raw(":").quote(o.DType, chDType)
	}
	if o.Layout != 0 {
		pr.raw("/").quote(o.Layout, chDType)
	}
}

// late writes late=: the buffer's name where all operands on it are late, else #index.
func (pr *printer) late(os []Operand) {
	sep := " late="
	for i := range os {
		if !os[i].Late {
			continue
		}
		all, before := true, false
		for j := range os {
			if os[j].Buf == os[i].Buf {
				all = all && os[j].Late
				before = before || j < i
			}
		}
		switch {
		case !all:
			pr.raw(sep + "#" + strconv.Itoa(i))
		case !before:
			pr.raw(sep).quote(pr.p.Bufs[os[i].Buf].Name, chName)
		default:
			continue
		}
		sep = ","
	}
}
