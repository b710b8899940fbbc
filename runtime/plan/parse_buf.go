package plan

import "strings"

// bufLine: buf NAME REGION+OFF SIZE key=value... flag...
func (ps *parser) bufLine(fs []field) {
	name := ps.nameField(fs, chName, "buffer")
	if ps.err == nil && len(fs) < 4 {
		ps.fail(len(ps.line), "buf wants NAME REGION+OFFSET SIZE")
	}
	if ps.err != nil {
		return
	}
	if _, ok := ps.findBuf(name); ok {
		ps.fail(fs[1].col, "buffer %s is already declared", name)
		return
	}
	b := Buf{Name: ps.b.Str(name), Entry: ps.entry, Parent: None, InplaceOf: None, Layer: None, LifeLo: None, LifeHi: None}
	ps.place(&b, fs)
	me := int32(len(ps.p.Bufs))
	var attrs []Attr
	pad := uint64(0)
	seen := map[string]bool{}
	for _, f := range fs[4:] {
		key, val, ok := keyValue(f)
		if seen[key] {
			ps.fail(f.col, "%s is given twice", key)
		}
		seen[key] = true
		c := ps.cursor(val)
		switch {
		case !ok:
			ps.bufFlag(&b, f)
		case key == "of" || key == "inplace_of":
			ps.parents = append(ps.parents, ref{me, key == "inplace_of", c.name(chName, "buffer"), ps.line, ps.ln, val.col})
		case key == "pad":
			pad = c.uint("pad", 64)
			ps.pads++
		case bufKeys[key]:
			ps.bufKey(&b, key, c)
		case !bare(key, chKey):
			ps.fail(f.col, "key %q: want letters, digits, _ and .", key)
		default:
			attrs = append(attrs, ps.attr(key, val))
			c.i = len(c.s)
		}
		if ps.err != nil {
			return
		}
		c.end(key + "=")
	}
	b.Attrs = ps.sortAttrs(attrs)
	ps.p.Bufs = append(ps.p.Bufs, b)
	ps.p.Pads = append(ps.p.Pads, pad)
	if ps.entry == None {
		ps.shared[name] = me
	} else {
		ps.scope.bufs[name] = me
	}
}

// place reads REGION+OFF SIZE.
func (ps *parser) place(b *Buf, fs []field) {
	c := ps.cursor(fs[2])
	region := c.name(chName, "region")
	r, ok := ps.region(region)
	if !ok {
		ps.fail(fs[2].col, "unknown region %q: declare it with a region line", region)
	}
	b.Region = r
	c.want('+', "after the region")
	b.Off = c.uint("offset", 64)
	c.end("the offset")
	c = ps.cursor(fs[3])
	b.Size = c.uint("size", 64)
	c.end("the size")
}

func (ps *parser) bufFlag(b *Buf, f field) {
	i := index(bufFlagNames[:], f.s)
	if i < 0 {
		ps.fail(f.col, "unknown buffer flag %q: want %s or key=value", f.s, strings.Join(bufFlagNames[:], " "))
		return
	}
	b.Flags |= 1 << i
}

// bufKey reads the keys that have a field.
func (ps *parser) bufKey(b *Buf, key string, c *cursor) {
	switch key {
	case "dtype":
		b.DType = ps.b.Str(c.name(chDType, "dtype"))
	case "lay", "layout":
		b.Layout = ps.b.Str(c.name(chDType, "layout"))
	case "shape":
		var d [4]uint64
		b.Dims = uint8(c.dims("shape", 32, d[:]))
		for i := range b.Shape {
			b.Shape[i] = uint32(d[i])
		}
	case "role":
		r := index(roleNames[:], c.s)
		if r < 0 {
			c.fail("unknown role %q: want one of %s", c.s, strings.Join(roleNames[:], " "))
		}
		b.Role = Role(max(r, 0))
		c.i = len(c.s)
	case "align":
		b.Align = c.uint("align", 64)
	case "life":
		b.LifeLo = c.index("first step")
		c.want(':', "between the ends of life")
		b.LifeHi = c.index("last step")
	case "layer":
		b.Layer = c.index("layer")
	case "valid":
		b.Valid, b.HasValid = c.lin(), true
	}
}

// findBuf looks a name up in the open entry, then among the shared buffers.
func (ps *parser) findBuf(name string) (int32, bool) {
	if ps.scope != nil {
		if i, ok := ps.scope.bufs[name]; ok {
			return i, true
		}
	}
	i, ok := ps.shared[name]
	return i, ok
}

// resolveParents binds of= and inplace_of= of the scope that closes.
func (ps *parser) resolveParents() {
	if ps.err != nil {
		return
	}
	for _, r := range ps.parents {
		i, ok := ps.findBuf(r.name)
		if !ok {
			ps.failAt(r.line, r.ln, r.col, "unknown buffer %q", r.name)
			return
		}
		if r.inplace {
			ps.p.Bufs[r.owner].InplaceOf = i
			continue
		}
		ps.p.Bufs[r.owner].Parent = i
		for up, n := i, 0; up != None; up = ps.p.Bufs[up].Parent {
			if n++; up == r.owner || n > len(ps.p.Bufs) {
				ps.failAt(r.line, r.ln, r.col, "buffer %s is a view of itself", ps.p.Str(ps.p.Bufs[r.owner].Name))
				return
			}
		}
	}
	ps.parents = ps.parents[:0]
}
