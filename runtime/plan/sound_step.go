package plan

func (c *sounder) entries() {
	p := c.p
	var steps, items uint32
	for i := range p.Entries {
		e := &p.Entries[i]
		if c.who[e.Name] != 0 {
			c.bad("two of the name %q: entry names are unique", p.Str(e.Name))
		}
		c.who[e.Name] = 1 // an entry may be nameless
		c.span(e.Steps, len(p.Steps), "entry", i)
		c.span(e.Items, len(p.Items), "entry", i)
		if e.Steps.Off != steps || e.Items.Off != items {
			c.bad("entry %d: steps start at %d and items at %d, want %d and %d: no gap, no overlap", i, e.Steps.Off, e.Items.Off, steps, items)
		}
		steps, items = e.Steps.Off+e.Steps.Len, e.Items.Off+e.Items.Len
	}
	if int(steps) != len(p.Steps) || int(items) != len(p.Items) {
		c.bad("entries cover %d of %d steps and %d of %d items", steps, len(p.Steps), items, len(p.Items))
	}
	c.forget()
}

func (c *sounder) items() {
	p := c.p
	for i := range p.Entries {
		e := &p.Entries[i]
		next := int32(e.Steps.Off)
		for j, it := range p.EntryItems(e) {
			c.enum(int(it.Kind), len(itemKindNames), "item", j, "kind")
			c.stream(it.Stream, "item", j)
			switch it.Kind {
			case DoStep:
				if it.Index != next {
					c.bad("entry %q, item %d: runs step %d, want %d: each step once, ascending", p.Str(e.Name), j, it.Index, next)
				}
				next++
			case Record, Wait:
				if it.Name == 0 {
					c.bad("entry %q, item %d: the event has no name", p.Str(e.Name), j)
				}
			}
		}
		if next != int32(e.Steps.Off+e.Steps.Len) {
			c.bad("entry %q: its order runs %d of %d steps", p.Str(e.Name), next-int32(e.Steps.Off), e.Steps.Len)
		}
	}
}

func (c *sounder) stream(s Str, what string, i int) {
	if c.p.Strings[s] == mainStream {
		c.bad("%s %d: stream %q must be written as the empty string", what, i, mainStream)
	}
}

func (c *sounder) steps() {
	p := c.p
	for e := range p.Entries {
		en := &p.Entries[e]
		for i := int(en.Steps.Off); i < int(en.Steps.Off+en.Steps.Len); i++ {
			s := &p.Steps[i]
			c.unique(s.Name, int32(e)+1, "op")
			c.stream(s.Stream, "step", i)
			if s.Flags&^allStepFlags != 0 {
				c.bad("step %d: unknown flags %#x", i, s.Flags)
			}
			c.ref(s.Source, len(p.Sources), "step", i, "source")
			c.ref(s.Launch, len(p.Launches), "step", i, "launch")
			c.attrs(s.Attrs, keyStep, "step", i)
			c.operands(en, int32(e), s, i)
			if c.err != nil {
				return
			}
		}
	}
	c.forget()
}

func (c *sounder) operands(en *Entry, entry int32, s *Step, i int) {
	p := c.p
	if c.span(s.Operands, len(p.Operands), "step", i); c.err != nil {
		return
	}
	last := R
	for j := range p.Ops(s) {
		o := &p.Ops(s)[j]
		if c.enum(int(o.Effect), len(effectNames), "step", i, "effect"); o.Effect < last {
			c.bad("step %d, operand %d: %s after %s: want r, rw, acc, w, scr", i, j, o.Effect, last)
		}
		last = o.Effect
		if c.ref(o.Buf, len(p.Bufs), "step", i, "buffer"); c.err != nil {
			return
		}
		if o.Buf == None {
			c.bad("step %d, operand %d has no buffer", i, j)
			return
		}
		if e := p.Bufs[o.Buf].Entry; e != None && e != entry {
			c.bad("step %d, operand %d: buffer %s belongs to another entry", i, j, p.Str(p.Bufs[o.Buf].Name))
		}
		c.lin(o.Lo, "step", i)
		c.lin(o.Hi, "step", i)
		if o.Hi == Whole && o.Lo != (Lin{}) {
			c.bad("step %d, operand %d: a whole buffer starts at 0, not %s", i, j, o.Lo)
		}
		if o.Cols == 0 && o.Col != 0 || uint64(o.Col)+uint64(o.Cols) >= 1<<32 {
			c.bad("step %d, operand %d: columns %d+%d", i, j, o.Col, o.Cols)
		}
		if c.span(o.Expect, len(p.Expects), "operand", j); c.err != nil {
			return
		}
		for _, x := range p.Expected(o) {
			if x < int32(en.Steps.Off) || x >= int32(en.Steps.Off+en.Steps.Len) {
				c.bad("step %d, operand %d: expected op %d is not of this entry", i, j, x)
			}
		}
	}
}

func (c *sounder) launches() {
	p := c.p
	next, joined := int32(0), 0
	for i := range p.Launches {
		l := &p.Launches[i]
		c.ref(l.Kernel, len(p.Kernels), "launch", i, "kernel")
		if l.Entry < 0 || int(l.Entry) >= len(p.Entries) {
			c.bad("launch %d: entry %d of %d", i, l.Entry, len(p.Entries))
			return
		}
		e := &p.Entries[l.Entry]
		if l.Count < 1 || l.First < next || l.First < int32(e.Steps.Off) ||
			int64(l.First)+int64(l.Count) > int64(e.Steps.Off)+int64(e.Steps.Len) {
			c.bad("launch %d: steps %d+%d: want one or more of entry %q, after those of the launch before", i, l.First, l.Count, p.Str(e.Name))
			return
		}
		next = l.First + l.Count
		for s := l.First; s < next; s++ {
			if p.Steps[s].Launch != int32(i) {
				c.bad("launch %d lists step %d, which names launch %d", i, s, p.Steps[s].Launch)
			}
			joined++
		}
	}
	for i := range p.Steps {
		if p.Steps[i].Launch != None {
			joined--
		}
	}
	if joined != 0 {
		c.bad("%d steps name a launch that does not list them", -joined)
	}
}
