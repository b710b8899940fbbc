package lint

import (
	"strconv"
	"strings"

	"dsac/runtime/plan"
)

// model is what the rules need to know of a plan, looked up once.
type model struct {
	p       *plan.Plan
	opt     *Options
	root    []int32 // per buffer: the buffer that owns its bytes
	place   []place // per buffer
	steps   []facts
	groups  []string         // names of rank groups; bit i of a distribution is group i
	named   map[string]int32 // first buffer of that name
	ctl     int32            // the control buffer, or none
	types   []plan.Str       // per operand: element type, its own or its buffer's
	layouts []plan.Str       // per operand: layout, likewise
	ctx     int64            // rows of the caches
}

// place is a buffer's bytes in its region. A buffer that does not fit into 62 bits has none:
// S11 reports it, the others leave it alone.
type place struct {
	lo, hi int64
	ok     bool
}

// facts are the attributes of a step that rules ask for (catalogue, section 1 and the rules).
type facts struct {
	layer   int64 // none if not given
	alt     int64 // alternative of which only one runs, none if not given
	grp     string
	dist    uint64 // groups over which its outputs are partial
	coll    string // kind of collective: ar, rs, ...
	collSet uint64
	zero    []string // buffers that it leaves zero
}

const maxAddress = 1 << 62

func newModel(p *plan.Plan, opt *Options) *model {
	m := &model{p: p, opt: opt, ctl: none, named: make(map[string]int32, len(p.Bufs))}
	m.root = make([]int32, len(p.Bufs))
	m.place = make([]place, len(p.Bufs))
	for i := range p.Bufs {
		b := &p.Bufs[i]
		m.root[i] = p.Root(int32(i))
		if b.Off < maxAddress && b.Size < maxAddress {
			m.place[i] = place{int64(b.Off), int64(b.Off + b.Size), true}
		}
		if name := p.Str(b.Name); m.named[name] == 0 {
			m.named[name] = int32(i) + 1 // shifted, so that 0 means absent
		}
		if b.Role == plan.Control && m.ctl == none {
			m.ctl = int32(i)
		}
	}
	m.steps = make([]facts, len(p.Steps))
	keys := m.factKeys()
	for i := range p.Steps {
		f := &m.steps[i]
		f.layer, f.alt = int64(none), int64(none)
		for _, a := range p.AttrList(p.Steps[i].Attrs) {
			if set := keys[a.Key]; set != nil {
				set(f, a)
			}
		}
	}
	m.ctx = m.contextRows()
	m.types = make([]plan.Str, len(p.Operands))
	m.layouts = make([]plan.Str, len(p.Operands))
	for i := range p.Operands {
		m.types[i], m.layouts[i] = m.dtype(&p.Operands[i]), m.layout(&p.Operands[i])
	}
	return m
}

// factKeys maps the plan's key strings to the facts that they set.
func (m *model) factKeys() map[plan.Str]func(*facts, plan.Attr) {
	table := map[string]func(*facts, plan.Attr){
		"layer": func(f *facts, a plan.Attr) { f.layer = int64(a.Val) },
		"alt":   func(f *facts, a plan.Attr) { f.alt = int64(a.Val) },
		"grp":   func(f *facts, a plan.Attr) { f.grp = m.text(a) },
		"dist":  func(f *facts, a plan.Attr) { f.dist = m.groupSet(m.text(a)) },
		"zero":  func(f *facts, a plan.Attr) { f.zero = strings.Split(m.text(a), ",") },
		"coll": func(f *facts, a plan.Attr) {
			kind, set, _ := strings.Cut(m.text(a), ":")
			f.coll, f.collSet = kind, m.groupSet(set)
		},
	}
	keys := make(map[plan.Str]func(*facts, plan.Attr))
	for i, s := range m.p.Strings {
		if set := table[s]; set != nil {
			keys[plan.Str(i)] = set
		}
	}
	return keys
}

// groupSet reads a list of rank groups such as ep+tp.
func (m *model) groupSet(s string) uint64 {
	var set uint64
	for _, g := range strings.Split(s, "+") {
		if g == "" {
			continue
		}
		i := 0
		for i < len(m.groups) && m.groups[i] != g {
			i++
		}
		if i == len(m.groups) {
			m.groups = append(m.groups, g)
		}
		set |= 1 << min(i, 63)
	}
	return set
}

// setText is the inverse of groupSet.
func (m *model) setText(set uint64) string {
	var names []string
	for i, g := range m.groups {
		if set>>min(i, 63)&1 != 0 {
			names = append(names, g)
		}
	}
	if names == nil {
		return "nothing"
	}
	return strings.Join(names, "+")
}

// text renders an attribute's value.
func (m *model) text(a plan.Attr) string {
	if a.Kind == plan.Text {
		return m.p.Str(plan.Str(a.Val))
	}
	return strconv.FormatInt(int64(a.Val), 10)
}

// attr returns an attribute of a step as text, "" if absent.
func (m *model) attr(step int32, key string) string {
	a, ok := m.p.FindAttr(m.p.Steps[step].Attrs, key)
	if !ok {
		return ""
	}
	return m.text(a)
}

func (m *model) bufAttr(buf int32, key string) string {
	a, ok := m.p.FindAttr(m.p.Bufs[buf].Attrs, key)
	if !ok {
		return ""
	}
	return m.text(a)
}

// contextRows returns the rows of the caches: the plan's own word, else what the smallest
// cache holds.
func (m *model) contextRows() int64 {
	if n, err := strconv.ParseInt(m.p.MetaValue(plan.MetaCtx), 10, 64); err == nil && n > 0 && n < maxAddress {
		return n
	}
	rows := int64(0)
	fits := func(size uint64, l plan.Lin) {
		if l.K <= 0 || l.Sym != plan.SymPos && l.Sym != plan.SymLen || size >= maxAddress {
			return
		}
		if n := (int64(size) - l.C) / l.K; n > 0 && (rows == 0 || n < rows) {
			rows = n
		}
	}
	for i := range m.p.Bufs {
		if b := &m.p.Bufs[i]; b.HasValid {
			fits(b.Size, b.Valid)
		}
	}
	if rows == 0 {
		for i := range m.p.Operands {
			o := &m.p.Operands[i]
			fits(m.p.Bufs[o.Buf].Size, o.Hi)
		}
	}
	return rows
}

func (m *model) kind(buf int32) plan.RegionKind { return m.p.Regions[m.p.Bufs[buf].Region].Kind }

func (m *model) bufName(b int32) string       { return m.p.Str(m.p.Bufs[b].Name) }
func (m *model) stepName(s int32) string      { return m.p.Str(m.p.Steps[s].Name) }
func (m *model) flags(s int32) plan.StepFlags { return m.p.Steps[s].Flags }

func (m *model) op(s int32) Op {
	st := &m.p.Steps[s]
	return Op{m.p.Str(st.Name), m.p.Str(st.Op), m.p.Str(st.Stream), s}
}

// bytes describes [lo, hi) of a region as bytes of buf.
func (m *model) bytes(buf int32, lo, hi int64) Bytes {
	b := &m.p.Bufs[buf]
	return Bytes{m.bufName(buf), m.p.Str(m.p.Regions[b.Region].Name), int64(b.Off), lo - int64(b.Off), hi - int64(b.Off)}
}

func (m *model) wholeBuf(buf int32) Bytes {
	b := &m.p.Bufs[buf]
	return Bytes{m.bufName(buf), m.p.Str(m.p.Regions[b.Region].Name), int64(b.Off), 0, int64(b.Size)}
}

func (m *model) source(step int32) *Source {
	i := m.p.Steps[step].Source
	if i == plan.None {
		return nil
	}
	s := &m.p.Sources[i]
	return &Source{m.p.Str(s.File), s.Line, s.Col, m.p.Str(s.Text)}
}

// dtype and layout of an operand: its own, else the nearest that the buffer or its parents state.
func (m *model) dtype(o *plan.Operand) plan.Str {
	return m.inherit(o.DType, o.Buf, func(b *plan.Buf) plan.Str { return b.DType })
}

func (m *model) layout(o *plan.Operand) plan.Str {
	return m.inherit(o.Layout, o.Buf, func(b *plan.Buf) plan.Str { return b.Layout })
}

func (m *model) inherit(own plan.Str, buf int32, of func(*plan.Buf) plan.Str) plan.Str {
	for own == 0 && buf != none {
		own, buf = of(&m.p.Bufs[buf]), m.p.Bufs[buf].Parent
	}
	return own
}

// find returns the buffer of that name that the step can see, preferring its own operands.
func (m *model) find(step int32, name string) (int32, bool) {
	for _, o := range m.p.Ops(&m.p.Steps[step]) {
		if m.bufName(o.Buf) == name {
			return o.Buf, true
		}
	}
	i, ok := m.named[name]
	return i - 1, ok
}
