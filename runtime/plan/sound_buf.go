package plan

func (c *sounder) bufs() {
	p := c.p
	last := None
	for i := range p.Bufs {
		b := &p.Bufs[i]
		c.ref(b.Entry, len(p.Entries), "buffer", i, "entry")
		if b.Entry < last {
			c.bad("buffer %d: entry %d after %d: want the shared buffers first, then by entry", i, b.Entry, last)
		}
		if c.err != nil {
			return
		}
		last = b.Entry
		c.bufName(b)
		if c.ref(b.Region, len(p.Regions), "buffer", i, "region"); b.Region == None {
			c.bad("buffer %d has no region", i)
		}
		c.relative(b, b.Parent, i, "parent")
		c.relative(b, b.InplaceOf, i, "in-place partner")
		if b.Layer < None || (b.LifeLo == None) != (b.LifeHi == None) || b.LifeLo < None || b.LifeHi < None {
			c.bad("buffer %d: layer %d, life %d:%d: want indices or none", i, b.Layer, b.LifeLo, b.LifeHi)
		}
		c.enum(int(b.Role), len(roleNames), "buffer", i, "role")
		if b.Flags&^allBufFlags != 0 {
			c.bad("buffer %d: unknown flags %#x", i, b.Flags)
		}
		c.shape(b, i)
		if c.lin(b.Valid, "buffer", i); !b.HasValid && b.Valid != (Lin{}) {
			c.bad("buffer %d: valid bytes given but not marked", i)
		}
		c.attrs(b.Attrs, keyBuf, "buffer", i)
	}
	c.forget()
}

// bufName claims the name: shared ones in scope -1, which no entry may use again.
func (c *sounder) bufName(b *Buf) {
	if c.who[b.Name] == -1 {
		c.bad("two of the name %q: buffer names are unique", c.p.Strings[b.Name])
	}
	scope := b.Entry + 1
	if b.Entry == None {
		scope = -1
	}
	c.unique(b.Name, scope, "buffer")
}

// relative checks a buffer that b refers to.
func (c *sounder) relative(b *Buf, other int32, i int, what string) {
	c.ref(other, len(c.p.Bufs), "buffer", i, what)
	if c.err != nil || other == None {
		return
	}
	if e := c.p.Bufs[other].Entry; e != None && e != b.Entry {
		c.bad("buffer %d: %s %d belongs to another entry", i, what, other)
	}
}

func (c *sounder) shape(b *Buf, i int) {
	if int(b.Dims) > len(b.Shape) {
		c.bad("buffer %d: %d dimensions, the form has %d", i, b.Dims, len(b.Shape))
		return
	}
	for _, d := range b.Shape[b.Dims:] {
		if d != 0 {
			c.bad("buffer %d: unused dimension is %d, want 0", i, d)
		}
	}
}

// views makes sure that following parents ends.
func (c *sounder) views() {
	const done = -1
	mark := make([]int32, len(c.p.Bufs)) // 0 unseen, done, or the walk that passed
	for i := range c.p.Bufs {
		walk := int32(i) + 1
		b := int32(i)
		for ; b != None && mark[b] == 0; b = c.p.Bufs[b].Parent {
			mark[b] = walk
		}
		if b != None && mark[b] == walk {
			c.bad("buffer %s is a view of itself", c.p.Str(c.p.Bufs[b].Name))
			return
		}
		for b = int32(i); b != None && mark[b] != done; b = c.p.Bufs[b].Parent {
			mark[b] = done
		}
	}
}
