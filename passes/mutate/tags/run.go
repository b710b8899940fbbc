package tags

import (
	"strconv"

	"dsac/runtime/plan"
)

// facts are what every run of an entry needs.
type facts struct {
	p     *plan.Plan
	e     int
	ops   []uint64 // per step: hash of op, attributes, operand types
	nodes []node
	ctl   int32 // control buffer, or none
}

const none = plan.None

// aside are attributes for checkers only: no kernel sees them.
var aside = map[string]bool{"layer": true, "grp": true, "takes": true, "gives": true, "gen": true, "args": true, "ptx": true, "end": true, "cov": true,
	"vec": true, "gst": true, "tmap": true, "xcta": true, "fp": true, "why": true, "pairs": true, "dist": true}

func newFacts(p *plan.Plan, e int) *facts {
	f := &facts{p: p, e: e, ctl: none, nodes: newGraph(p, &p.Entries[e]).nodes, ops: make([]uint64, len(p.Steps))}
	for i := range p.Bufs {
		if p.Bufs[i].Role == plan.Control && f.ctl == none {
			f.ctl = int32(i)
		}
	}
	for _, n := range f.nodes {
		if f.ops[n.step] == 0 {
			f.ops[n.step] = f.op(&p.Steps[n.step])
		}
	}
	return f
}

// op hashes what a step computes: a name for hand-written plans, which have no op table.
func (f *facts) op(s *plan.Step) uint64 {
	p := f.p
	h := seed.text(p.Str(s.Op))
	if s.Op == 0 {
		h = h.text(p.Str(s.Name))
	}
	for _, a := range p.AttrList(s.Attrs) {
		if key := p.Str(a.Key); aside[key] {
			continue
		} else if h = h.text(key); a.Kind == plan.Text {
			h = h.text(p.Str(plan.Str(a.Val)))
		} else {
			h = h.add(a.Val)
		}
	}
	for _, o := range p.Ops(s) {
		h = h.add(uint64(o.Effect)).text(p.Str(f.declared(o.DType, o.Buf, func(b *plan.Buf) plan.Str { return b.DType })))
		h = h.text(p.Str(f.declared(o.Layout, o.Buf, func(b *plan.Buf) plan.Str { return b.Layout })))
		h = h.add(uint64(o.Col)).add(uint64(o.Cols))
	}
	return h.sum()
}

// declared returns an operand's own word, else its buffer's, else the parents'.
func (f *facts) declared(own plan.Str, b int32, of func(*plan.Buf) plan.Str) plan.Str {
	for ; own == 0 && b != none; b = f.p.Bufs[b].Parent {
		own = of(&f.p.Bufs[b])
	}
	return own
}

// machine is the memory of one run.
type machine struct {
	*facts
	at      plan.Point
	regions []memory
}

// run executes two steps in one order and returns the digest of the results after each.
func (f *facts) run(pt plan.Point, order []int32) (out [2]uint64) {
	m := &machine{facts: f, at: pt, regions: make([]memory, len(f.p.Regions))}
	for i := range f.p.Regions {
		m.regions[i] = newMemory(int64(min(f.p.Regions[i].Size, 1<<60)))
	}
	m.fill()
	for s := range out {
		if s > 0 {
			m.at = next(m.at)
			m.forget()
		}
		for _, n := range order {
			m.step(&f.p.Steps[f.nodes[n].step], f.ops[f.nodes[n].step])
		}
		out[s] = m.results()
	}
	return out
}

// visible says whether a buffer belongs to the entry or to all.
func (f *facts) visible(b *plan.Buf) bool { return b.Entry == none || int(b.Entry) == f.e }

// fill gives inputs, weights and state their values: by name, wherever they lie. A plan with a
// weight table says there what a weight holds; one that it leaves out holds nothing.
func (m *machine) fill() {
	for i := range m.p.Bufs {
		b := &m.p.Bufs[i]
		kind := m.p.Regions[b.Region].Kind
		if !m.visible(b) || kind == plan.Arena || kind == plan.Out || kind == plan.Sym || b.Parent != none ||
			kind == plan.Const && len(m.p.Weights) > 0 {
			continue
		}
		size := int64(b.Size)
		if kind == plan.State && b.HasValid {
			size = min(size, b.Valid.At(m.at))
		}
		m.regions[b.Region].set(int64(b.Off), int64(b.Off)+size, seed.text("start").text(m.p.Str(b.Name)).sum(), int64(b.Off))
	}
	for i := range m.p.Weights {
		w := &m.p.Weights[i]
		h := seed.text("tensor").text(m.p.Str(w.Name)).text(m.p.Str(w.Type)).text(m.p.Str(w.Layout))
		for _, x := range [...]uint64{w.Dims[0], w.Dims[1], w.Dims[2], w.Dims[3], uint64(w.Axis), w.Lo, w.Hi} {
			h = h.add(x)
		}
		b := &m.p.Bufs[w.Buf]
		m.regions[b.Region].set(int64(b.Off), int64(b.Off+b.Size), h.sum(), int64(b.Off))
	}
}

// forget makes temporaries undefined for the next step, and state beyond its valid rows.
func (m *machine) forget() {
	for i := range m.p.Regions {
		if k := m.p.Regions[i].Kind; k == plan.Arena || k == plan.Sym {
			m.regions[i] = newMemory(m.regions[i][len(m.regions[i])-1].hi)
		}
	}
	for i := range m.p.Bufs {
		b := &m.p.Bufs[i]
		if m.p.Regions[b.Region].Kind == plan.State && b.HasValid && m.visible(b) {
			m.regions[b.Region].set(int64(b.Off)+b.Valid.At(m.at), int64(b.Off+b.Size), garbage, 0)
		}
	}
}

// span returns the bytes of an operand in its region.
func (m *machine) span(o *plan.Operand) (lo, hi int64) {
	lo, hi = m.p.Range(o, m.at)
	off := int64(m.p.Bufs[o.Buf].Off)
	return off + lo, off + hi
}

// step reads, hashes and writes.
func (m *machine) step(s *plan.Step, op uint64) {
	h := seed.add(op)
	ops := m.p.Ops(s)
	for i := range ops {
		if e := ops[i].Effect; e == plan.R || e == plan.RW {
			h = m.input(h, &ops[i], s.Flags&plan.MayRead != 0)
		}
	}
	if m.ctl != none {
		h = m.input(h, &plan.Operand{Buf: m.ctl, Hi: plan.Fixed(plan.CtlRead)}, false)
	}
	if m.clashes(s, ops) {
		h = h.text("clash").text(m.p.Str(s.Name))
	}
	for i := range ops {
		o := &ops[i]
		lo, hi := m.span(o)
		mem := &m.regions[m.p.Bufs[o.Buf].Region]
		switch tag := h.add(uint64(i)).sum(); o.Effect {
		case plan.W, plan.RW:
			mem.set(lo, hi, tag, lo)
		case plan.Scr:
			mem.set(lo, hi, garbage, 0)
		case plan.Acc:
			var sums []piece // additions commute: tags add up
			mem.each(lo, hi, func(p piece) { sums = append(sums, p) })
			for _, p := range sums {
				if p.tag != garbage {
					p.tag = max(p.tag+tag, 1)
				}
				mem.set(p.lo, p.hi, p.tag, p.base)
			}
		}
	}
}

// input adds the values of a range to a hash. Undefined bytes count with their address, unless
// the op masks them.
func (m *machine) input(h hash, o *plan.Operand, masked bool) hash {
	lo, hi := m.span(o)
	h = h.add(uint64(hi - lo))
	m.regions[m.p.Bufs[o.Buf].Region].each(lo, hi, func(p piece) {
		if masked && p.tag == garbage {
			return
		}
		h = h.add(uint64(p.lo - lo)).add(p.tag).add(uint64(p.lo - p.base))
	})
	return h
}

// clashes says whether the op may read a byte after having written it, or write one twice:
// ranges that intersect without the contract for it.
func (m *machine) clashes(s *plan.Step, ops []plan.Operand) bool {
	for i := range ops {
		for j := range ops[:i] {
			a, b := &ops[j], &ops[i]
			if a.Effect == plan.R && b.Effect == plan.R || m.p.Bufs[a.Buf].Region != m.p.Bufs[b.Buf].Region {
				continue
			}
			alo, ahi := m.span(a)
			blo, bhi := m.span(b)
			if alo >= bhi || blo >= ahi || alo >= ahi || blo >= bhi {
				continue
			}
			plain := a.Effect == plan.R && !a.Late && b.Effect != plan.Scr
			if !plain || alo != blo || ahi != bhi || s.Flags&(plan.EW|plan.RF) == 0 || s.Flags&plan.RF == 0 && a.Cols != b.Cols {
				return true
			}
		}
	}
	return false
}

// results hashes what is used after the step: results, what survives, what others read.
func (m *machine) results() uint64 {
	h := seed
	for i := range m.p.Bufs {
		b := &m.p.Bufs[i]
		kind := m.p.Regions[b.Region].Kind
		kept := kind == plan.Out || kind == plan.State || kind == plan.In || kind == plan.Host || b.Role == plan.Result
		if !kept || !m.visible(b) || b.Role == plan.Scratch {
			continue
		}
		hi := int64(b.Size)
		switch rows := int64(m.p.Entries[m.e].Rows); {
		case kind == plan.State && b.HasValid:
			hi = min(hi, b.Valid.At(next(m.at)))
		case kind == plan.Out && b.Dims > 0 && int64(b.Shape[0]) == rows:
			hi = hi / rows * m.at.N // the host reads the live rows
		}
		h = h.text(m.p.Str(b.Name))
		off := int64(b.Off)
		m.regions[b.Region].each(off, off+hi, func(p piece) {
			if p.tag != garbage {
				h = h.add(uint64(p.lo - off)).add(uint64(p.hi - off)).add(p.tag).add(uint64(p.lo - p.base))
			}
		})
	}
	return h.sum()
}

// next is the point of the following step: all rows accepted, as many again.
func next(p plan.Point) plan.Point {
	return plan.Point{N: p.N, Pos: p.Len, Len: p.Len + p.N}
}

// points are those at which an entry is run: one row and all of them, at the start and later.
func points(p *plan.Plan, e *plan.Entry) []plan.Point {
	ctx, err := strconv.ParseInt(p.MetaValue(plan.MetaCtx), 10, 64)
	if err != nil || ctx <= 0 {
		return []plan.Point{{N: 1, Len: 1}}
	}
	t := int64(max(e.Rows, 1))
	var pts []plan.Point
	for _, n := range []int64{1, t} {
		for _, pos := range []int64{0, ctx/3 | 1, ctx - 2*n} {
			if pos >= 0 && pos+2*n <= ctx && (len(pts) == 0 || pts[len(pts)-1] != (plan.Point{N: n, Pos: pos, Len: pos + n})) {
				pts = append(pts, plan.Point{N: n, Pos: pos, Len: pos + n})
			}
		}
		if t == 1 {
			break
		}
	}
	if pts == nil {
		pts = []plan.Point{{N: 1, Len: 1}}
	}
	return pts
}
