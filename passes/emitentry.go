package passes

import (
	"fmt"

	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// entryEmitter writes one entry.
type entryEmitter struct {
	*emitter
	u     *Unit
	index int32              // of the entry
	first uint32             // its first step
	bufs  []int32            // slot -> buffer
	step  map[*ir.Node]int32 // node -> step
}

func (e *emitter) entry(u *Unit) error { return e.steps(u, (*entryEmitter).epilogue) }

// steps emits an entry: its slots, its nodes, and what tail adds.
func (e *emitter) steps(u *Unit, tail func(*entryEmitter) error) error {
	p := e.b.P
	x := &entryEmitter{emitter: e, u: u, index: int32(len(p.Entries)), step: make(map[*ir.Node]int32)}
	p.Entries = append(p.Entries, plan.Entry{Name: e.b.Str(u.Entry.Name), Rows: uint32(u.Entry.Rows), Outs: uint32(u.Entry.Outs)})
	first, firstItem := uint32(len(p.Steps)), uint32(len(p.Items))
	x.first = first
	x.slots()
	for i, n := range u.G.Nodes {
		x.step[n] = int32(first) + int32(i)
	}
	for _, n := range u.G.Nodes {
		if err := x.node(n); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	if err := tail(x); err != nil {
		return err
	}
	if u.Early {
		x.startEarly(first)
	}
	for i := first; i < uint32(len(p.Steps)); i++ {
		p.Items = append(p.Items, plan.Item{Kind: plan.DoStep, Index: int32(i)})
	}
	en := &p.Entries[x.index]
	en.Steps = plan.Span{Off: first, Len: uint32(len(p.Steps)) - first}
	en.Items = plan.Span{Off: firstItem, Len: uint32(len(p.Items)) - firstItem}
	en.Arena = e.used[regArena]
	return nil
}

// slots emits the buffers of the entry: temporaries where offsets put them, results in the
// out region.
func (x *entryEmitter) slots() {
	groups := groupLists(x.u.G)
	for i := range x.u.Slots {
		s := &x.u.Slots[i]
		b := x.buf(s.Name, regArena, s.Type, x.u.Bind, s.Bytes)
		b.Entry, b.Align = x.index, align
		if s.Inplace >= 0 {
			b.InplaceOf = x.bufs[s.Inplace]
		}
		if s.Val == nil {
			b.Role = plan.Scratch
			if s.Node.Op == ops.IndexTopk {
				b.Attrs = x.b.AddAttrs([]plan.Attr{x.b.TextAttr("why", "indexer")})
			}
		}
		if groups[s.Val] {
			b.Flags |= plan.GrpBuf
		}
		if s.Out {
			b.Region = regOut
			x.bufs = append(x.bufs, x.place(b))
			continue
		}
		b.Off, b.LifeLo, b.LifeHi = s.Offset, int32(s.LifeLo), int32(s.LifeHi)
		x.bufs = append(x.bufs, x.put(b))
	}
	x.used[regArena] = max(x.used[regArena], x.u.Height)
}

// groupLists returns the values that are lists shared by a group of layers.
func groupLists(g *ir.Graph) map[*ir.Value]bool {
	out := make(map[*ir.Value]bool)
	for _, n := range g.Nodes {
		for i, o := range n.Op.OutputOperands() {
			if n.Op.Operands[o].Group {
				out[n.Out[i]] = true
			}
		}
	}
	return out
}

func (x *entryEmitter) node(n *ir.Node) error {
	var operands []plan.Operand
	ins := n.Op.InputOperands()
	inOf := make(map[int]ir.Use)
	for i, o := range ins {
		inOf[o] = n.In[i]
	}
	outOf := make(map[int]*ir.Value)
	for i, o := range n.Op.OutputOperands() {
		outOf[o] = n.Out[i]
	}
	scratch := x.u.ScratchSlot[n]
	for i := range n.Op.Operands {
		decl := &n.Op.Operands[i]
		o := plan.Operand{Effect: plan.Effect(decl.Effect), Hi: plan.Whole}
		switch decl.Effect {
		case ir.Read:
			if err := x.read(&o, inOf[i], decl); err != nil {
				return err
			}
			o.Late = n.Op.Late(i) && x.b.P.Bufs[o.Buf].Region != regConst
		case ir.Write:
			if decl.State {
				o.Buf = x.args[outOf[i].Storage().Name]
				row := x.rowBytes(o.Buf)
				o.Lo, o.Hi = plan.Times(row, plan.SymPos), plan.Times(row, plan.SymLen)
			} else {
				o.Buf = x.bufs[x.u.ValueSlot[outOf[i]]]
				o.Hi = x.rows(outOf[i].Type, o.Buf)
			}
		case ir.Scratch:
			o.Buf, scratch = x.bufs[scratch[0]], scratch[1:]
		default:
			return fmt.Errorf("operand %s: effect %d has no form in a graph", decl.Name, decl.Effect)
		}
		operands = append(operands, o)
	}
	x.add(n.Op, n.Label, operands, x.attrs(n), x.source(n.Pos))
	return nil
}

// read binds a read operand, its byte range and the step that must have defined it.
func (x *entryEmitter) read(o *plan.Operand, use ir.Use, decl *ir.Operand) error {
	v := use.Val
	o.Col, o.Cols = uint32(use.Col), uint32(use.Cols)
	if v.Kind == ir.Result {
		o.Expect = x.b.AddExpects([]int32{x.step[v.Def]})
	}
	s := v.Storage()
	switch s.Kind {
	case ir.State:
		o.Buf = x.args[s.Name]
		o.Hi = plan.Times(x.rowBytes(o.Buf), plan.SymLen)
	case ir.Result:
		o.Buf = x.bufs[x.u.ValueSlot[s]]
		o.Hi = x.rows(s.Type, o.Buf)
	case ir.Input:
		o.Buf = x.args[s.Name]
		o.Hi = plan.Times(x.rowBytes(o.Buf), plan.SymN)
	default:
		l, err := x.u.layoutOf(decl, s)
		if err != nil {
			return err
		}
		o.Buf = x.args[weightKey(s.Name, l)]
	}
	return nil
}

// rows returns the end of the live rows of a temporary: n rows when it has a row per row of
// the step, all of it otherwise.
func (x *entryEmitter) rows(t ir.Type, buf int32) plan.Lin {
	perRow := t.Dims[0].Sym == ir.SymT || t.Dims[0].Sym == ir.SymR && x.u.Bind.R == x.u.Bind.T
	if !perRow {
		return plan.Whole
	}
	return plan.Times(int64(x.b.P.Bufs[buf].Size)/int64(x.u.Bind.T), plan.SymN)
}

// rowBytes returns the bytes of one row of a shared buffer.
func (x *entryEmitter) rowBytes(buf int32) int64 {
	b := &x.b.P.Bufs[buf]
	return int64(b.Size) / int64(b.Shape[0])
}

// epilogue emits the two steps that every entry ends with: the choice of a token and the
// advance of the control buffer.
func (x *entryEmitter) epilogue() error {
	if len(x.u.G.Results) != 1 {
		return fmt.Errorf("the model returns %d values, want the logits", len(x.u.G.Results))
	}
	logits := x.u.G.Results[0]
	at := x.source(logits.Def.Pos)
	if err := x.draw(logits, at); err != nil {
		return err
	}
	ids := plan.Operand{Buf: x.ids, Effect: plan.W, Hi: plan.Fixed(4)}
	ctl := whole(x.ctl, plan.RW)
	ctl.Expect = x.b.AddExpects([]int32{int32(len(x.b.P.Steps)) - 1})
	x.add(ops.Advance, "advance", []plan.Operand{ctl, ids}, nil, at)
	return nil
}

// whole is an operand that covers its buffer.
func whole(buf int32, e plan.Effect) plan.Operand {
	return plan.Operand{Buf: buf, Effect: e, Hi: plan.Whole}
}
