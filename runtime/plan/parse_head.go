package plan

import (
	"slices"
	"strings"
)

// planLine: plan KEY=VALUE...
func (ps *parser) planLine(fs []field) {
	ps.pairs(fs, 1, func(key string, col int, c *cursor) bool {
		if !bare(key, chKey) {
			ps.fail(col, "key %q: want letters, digits, _ and .", key)
		}
		val := c.value()
		for _, kv := range ps.meta {
			if ps.p.Strings[kv.Key] == key {
				ps.fail(col, "plan fact %s is given twice", key)
			}
		}
		ps.meta = append(ps.meta, KV{ps.b.Str(key), ps.b.Str(val)})
		return true
	})
}

// value reads a bare or quoted text to the end of the field.
func (c *cursor) value() string {
	if c.peek() == '"' {
		return c.quoted()
	}
	s := c.s[c.i:]
	if !bare(s, chValue) {
		c.fail("value must be quoted, found %s", c.found())
		return ""
	}
	c.i = len(c.s)
	return s
}

// bucketLine: bucket NAME need=N max=N
func (ps *parser) bucketLine(fs []field) {
	b := Bucket{Name: ps.b.Str(ps.nameField(fs, chLabel, "bucket"))}
	ps.pairs(fs, 2, func(key string, _ int, c *cursor) bool {
		switch key {
		case "need":
			b.Need = c.uint("need", 64)
		case "max":
			b.Max = c.uint("max", 64)
		default:
			return false
		}
		return true
	})
	ps.p.Buckets = append(ps.p.Buckets, b)
}

// dynLine: dyn NAME...
func (ps *parser) dynLine(fs []field) {
	if len(fs) < 2 {
		ps.fail(len(ps.line), "dyn needs a name")
	}
	for _, f := range fs[1:] {
		c := ps.cursor(f)
		ps.p.Dyns = append(ps.p.Dyns, ps.b.Str(c.name(chLabel, "name of the scalar")))
		c.end("the name")
	}
}

// regionLine: region NAME KIND SIZE [gen=N]
func (ps *parser) regionLine(fs []field) {
	name := ps.nameField(fs, chName, "region")
	if ps.err == nil && len(fs) < 4 {
		ps.fail(len(ps.line), "region wants NAME KIND SIZE")
	}
	if ps.err != nil {
		return
	}
	if _, ok := ps.regions[name]; ok {
		ps.fail(fs[1].col, "region %s is already declared or in use: declare it once, before its first buffer", name)
		return
	}
	kind := index(regionKindNames[:], fs[2].s)
	if kind < 0 {
		ps.fail(fs[2].col, "unknown region kind %q: want one of %s", fs[2].s, strings.Join(regionKindNames[:], " "))
		return
	}
	c := ps.cursor(fs[3])
	r := Region{Name: ps.b.Str(name), Kind: RegionKind(kind), Size: c.uint("size", 64)}
	c.end("the size")
	ps.pairs(fs, 4, func(key string, _ int, c *cursor) bool {
		if key == "gen" {
			r.Gen = c.uint("gen", 64)
		}
		return key == "gen"
	})
	ps.addRegion(name, r)
}

func (ps *parser) addRegion(name string, r Region) int32 {
	i := int32(len(ps.p.Regions))
	ps.regions[name] = i
	ps.p.Regions = append(ps.p.Regions, r)
	return i
}

// region finds a region by name; the default ones come into being when first used.
func (ps *parser) region(name string) (int32, bool) {
	if i, ok := ps.regions[name]; ok {
		return i, true
	}
	for _, d := range defaultRegions {
		if d.name == name {
			return ps.addRegion(name, Region{Name: ps.b.Str(name), Kind: d.kind, Size: defaultRegionSize}), true
		}
	}
	return None, false
}

// sourceLine: source INDEX "file":LINE:COL "text"
func (ps *parser) sourceLine(fs []field) {
	if len(fs) != 4 {
		ps.fail(len(ps.line), `source wants INDEX "file":LINE:COL "text"`)
		return
	}
	c := ps.cursor(fs[1])
	if i := c.index("index of the source"); ps.err == nil && int(i) != len(ps.p.Sources) {
		ps.fail(fs[1].col, "source %d: sources are numbered in order, want %d", i, len(ps.p.Sources))
	}
	c.end("the index")
	c = ps.cursor(fs[2])
	var s Source
	if c.peek() != '"' {
		c.fail("quoted name of the file wanted, found %s", c.found())
	}
	s.File = ps.b.Str(c.quoted())
	c.want(':', "after the file")
	s.Line = uint32(c.uint("line", 32))
	c.want(':', "after the line")
	s.Col = uint32(c.uint("column", 32))
	c.end("the column")
	c = ps.cursor(fs[3])
	s.Text = ps.b.Str(c.value())
	c.end("the text")
	ps.p.Sources = append(ps.p.Sources, s)
}

// finish sorts and checks what can only be checked at the end.
func (ps *parser) finish() {
	slices.SortFunc(ps.meta, func(a, b KV) int {
		return strings.Compare(ps.p.Strings[a.Key], ps.p.Strings[b.Key])
	})
	ps.p.Meta = ps.meta
	if ps.pads > 0 && ps.pads != len(ps.p.Bufs) {
		ps.fail(0, "pad= must stand on all buffers or on none: %d of %d have it", ps.pads, len(ps.p.Bufs))
	}
	if ps.pads == 0 {
		ps.p.Pads = nil
	}
}
