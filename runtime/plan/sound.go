package plan

import (
	"fmt"
	"math"
	"strconv"
)

// Sound returns the first reason why p breaks a rule of the form, or nil. It is the contract
// between the writers of a plan and its readers, who rely on it without checks; Encode,
// Decode and Print demand it, and what Parse returns has it.
//
// It checks that
//   - every string, index and span is in range, and every enum has a known value;
//   - string 0 is empty, no string occurs twice, and what has a name has one;
//   - names are unique: regions, kernels, entries, shared buffers, buffers of an entry
//     (against the shared ones too), ops of an entry;
//   - facts and attributes are sorted by key, each once, and no key is a word of the text form;
//   - buffers are sorted by entry, shared first, and views form no cycle;
//   - the items and steps of the entries follow each other without gap, and an entry's order
//     runs its steps once each, ascending;
//   - operands stand in the order R, RW, Acc, W, Scr, and refer to buffers and expected ops
//     of their own entry;
//   - each launch has one or more consecutive steps of one entry, which say so too;
//   - a value that is not used is zero (a range bound without symbol has no factor, and so on),
//     the main stream is "", and a float that is not a number is the usual one.
//
// It does not check what the offsets, sizes, ranges and lifetimes mean: see Verify, and the
// lint for the rest.
func Sound(p *Plan) error {
	c := sounder{p: p}
	for _, check := range []func(*sounder){
		(*sounder).sizes, (*sounder).attrPool, (*sounder).strings, (*sounder).head, (*sounder).regions,
		(*sounder).entries, (*sounder).bufs, (*sounder).views, (*sounder).items, (*sounder).steps,
		(*sounder).launches, (*sounder).kernels, (*sounder).weights,
	} {
		if check(&c); c.err != nil {
			return c.err
		}
	}
	return nil
}

type sounder struct {
	p   *Plan
	err error
	// who[s] is the scope in which name s was last used, for uniqueness.
	who []int32
	// keys[s] remembers whether string s can be the key of an attribute.
	keys []keyUse
}

// keyUse says where a string can be the key of an attribute.
type keyUse uint8

const (
	keyKnown keyUse = 1 << iota // the rest is set
	keyStep                     // of a step
	keyBuf                      // of a buffer
)

func (c *sounder) keyUse(s Str) keyUse {
	if c.keys[s]&keyKnown == 0 {
		use, key := keyKnown, c.p.Strings[s]
		if bare(key, chKey) {
			if !stepKeys[key] {
				use |= keyStep
			}
			if !bufKeys[key] {
				use |= keyBuf
			}
		}
		c.keys[s] = use
	}
	return c.keys[s]
}

func (c *sounder) bad(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("plan: "+format, args...)
	}
}

// sizes makes sure that indices fit in an int32 and the fixed relations between tables.
func (c *sounder) sizes() {
	p := c.p
	for _, n := range []int{len(p.Strings), len(p.Bufs), len(p.Entries), len(p.Items), len(p.Steps), len(p.Operands),
		len(p.Expects), len(p.Attrs), len(p.Launches), len(p.Kernels), len(p.Weights), len(p.Sources), len(p.Regions), len(p.Blob)} {
		if n > math.MaxInt32 {
			c.bad("a table has %d elements, the form allows %d", n, math.MaxInt32)
		}
	}
	if len(p.Strings) == 0 || p.Strings[0] != "" {
		c.bad("string 0 must be the empty string")
	}
	if len(p.Pads) != 0 && len(p.Pads) != len(p.Bufs) {
		c.bad("padded placement has %d offsets for %d buffers", len(p.Pads), len(p.Bufs))
	}
	c.who, c.keys = make([]int32, len(p.Strings)), make([]keyUse, len(p.Strings))
}

// attrPool checks what concerns one attribute alone.
func (c *sounder) attrPool() {
	for i := range c.p.Attrs {
		a := &c.p.Attrs[i]
		switch a.Kind {
		case Int:
		case Float:
			if f := math.Float64frombits(a.Val); f != f && a.Val != math.Float64bits(math.NaN()) {
				c.bad("attribute %d is an unusual not-a-number %#x", i, a.Val)
			}
		case Text:
			if a.Val >= uint64(len(c.p.Strings)) {
				c.bad("attribute %d refers to string %d of %d", i, a.Val, len(c.p.Strings))
			}
		default:
			c.bad("attribute %d has kind %d", i, a.Kind)
		}
	}
}

func (c *sounder) strings() {
	n := Str(len(c.p.Strings))
	c.p.eachStr(func(s *Str) {
		if *s >= n {
			c.bad("a record refers to string %d of %d", *s, n)
		}
	})
	seen := make(map[string]struct{}, len(c.p.Strings))
	for _, s := range c.p.Strings {
		seen[s] = struct{}{}
	}
	if len(seen) != len(c.p.Strings) {
		c.bad("%d strings occur twice in the string table", len(c.p.Strings)-len(seen))
	}
}

// unique claims name s in a scope; scopes are checked one after another.
func (c *sounder) unique(s Str, scope int32, what string) {
	if s == 0 {
		c.bad("a %s has no name", what)
	}
	if c.who[s] == scope {
		c.bad("two of the name %q: %s names are unique", c.p.Strings[s], what)
	}
	c.who[s] = scope
}

func (c *sounder) forget() { clear(c.who) }

func (c *sounder) span(s Span, n int, what string, i int) {
	if uint64(s.Off)+uint64(s.Len) > uint64(n) {
		c.bad("%s %d: span [%d,+%d) leaves its table of %d", what, i, s.Off, s.Len, n)
	}
}

// ref checks an index that may be None.
func (c *sounder) ref(v int32, n int, what string, i int, field string) {
	if v < None || int(v) >= n {
		c.bad("%s %d: %s %d of %d", what, i, field, v, n)
	}
}

func (c *sounder) enum(v, n int, what string, i int, field string) {
	if v >= n {
		c.bad("%s %d: unknown %s %d", what, i, field, v)
	}
}

func (c *sounder) lin(l Lin, what string, i int) {
	if l.Sym > SymLen || (l.K != 0) != (l.Sym != NoSym) {
		c.bad("%s %d: bound %d%+d*symbol(%d) is malformed", what, i, l.C, l.K, l.Sym)
	}
}

// attrs checks a span of attributes for one use.
func (c *sounder) attrs(s Span, use keyUse, what string, i int) {
	if c.span(s, len(c.p.Attrs), what, i); c.err != nil {
		return
	}
	last := ""
	for _, a := range c.p.AttrList(s) {
		key := c.p.Strings[a.Key]
		if c.keyUse(a.Key)&use == 0 {
			c.bad("%s %d: %q cannot be the key of an attribute", what, i, key)
		}
		if key <= last {
			c.bad("%s %d: attribute %q after %q: want them sorted, each once", what, i, key, last)
		}
		last = key
	}
}

func (c *sounder) head() {
	p, last := c.p, ""
	for i, kv := range p.Meta {
		key := p.Strings[kv.Key]
		if !bare(key, chKey) || key <= last {
			c.bad("fact %d: key %q after %q: want plain words, sorted, each once", i, key, last)
		}
		last = key
	}
	for _, b := range p.Buckets {
		if b.Name == 0 {
			c.bad("a bucket has no name")
		}
	}
	for _, d := range p.Dyns {
		if d == 0 {
			c.bad("a per-step scalar has no name")
		}
	}
}

func (c *sounder) regions() {
	for i := range c.p.Regions {
		r := &c.p.Regions[i]
		c.unique(r.Name, 1, "region")
		c.enum(int(r.Kind), len(regionKindNames), "region", i, "kind")
	}
	c.forget()
}

func (c *sounder) weights() {
	for i := range c.p.Weights {
		w := &c.p.Weights[i]
		if w.Name == 0 {
			c.bad("weight %d has no name", i)
		}
		c.ref(w.Buf, len(c.p.Bufs), "weight", i, "buffer")
		if c.err == nil && w.Buf != None && c.p.Bufs[w.Buf].Entry != None {
			c.bad("weight %s lies in buffer %s of one entry: want a shared one", c.p.Str(w.Name), c.p.Str(c.p.Bufs[w.Buf].Name))
		}
		c.ref(w.Axis, len(w.Dims), "weight", i, "axis")
	}
}

func (c *sounder) kernels() {
	for i := range c.p.Kernels {
		k := &c.p.Kernels[i]
		c.unique(k.Name, 1, "kernel")
		c.span(k.PTX, len(c.p.Blob), "kernel", i)
		c.span(k.Cubin, len(c.p.Blob), "kernel", i)
		if c.span(k.Params, len(c.p.Attrs), "kernel", i); c.err != nil {
			return
		}
		for j, a := range c.p.AttrList(k.Params) {
			if key := c.p.Strings[a.Key]; a.Kind != Text || a.Val == 0 || key != strconv.Itoa(j) {
				c.bad("kernel %s: parameter %d has key %q: want its number and a name", c.p.Str(k.Name), j, key)
			}
		}
	}
	c.forget()
}
