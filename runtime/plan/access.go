package plan

import "math"

// Ops returns the operands of a step, in op-table order.
func (p *Plan) Ops(s *Step) []Operand { return p.Operands[s.Operands.Off:][:s.Operands.Len] }

// Expected returns the steps that may have defined the bytes of o; empty means not stated.
func (p *Plan) Expected(o *Operand) []int32 { return p.Expects[o.Expect.Off:][:o.Expect.Len] }

// EntrySteps returns the steps of e; the index of the first one is e.Steps.Off.
func (p *Plan) EntrySteps(e *Entry) []Step { return p.Steps[e.Steps.Off:][:e.Steps.Len] }

// EntryItems returns the execution order of e.
func (p *Plan) EntryItems(e *Entry) []Item { return p.Items[e.Items.Off:][:e.Items.Len] }

// AttrList returns the attributes in a span.
func (p *Plan) AttrList(s Span) []Attr { return p.Attrs[s.Off:][:s.Len] }

// FindAttr returns the attribute with that key.
func (p *Plan) FindAttr(s Span, key string) (Attr, bool) {
	for _, a := range p.AttrList(s) {
		if p.Strings[a.Key] == key {
			return a, true
		}
	}
	return Attr{}, false
}

// AttrValue returns the value of an attribute: int64, float64 or string.
func (p *Plan) AttrValue(a Attr) any {
	switch a.Kind {
	case Int:
		return int64(a.Val)
	case Float:
		return math.Float64frombits(a.Val)
	}
	return p.Strings[a.Val]
}

// IntAttr returns an integer attribute.
func (p *Plan) IntAttr(s Span, key string) (int64, bool) {
	a, ok := p.FindAttr(s, key)
	return int64(a.Val), ok && a.Kind == Int
}

// FloatAttr returns a numeric attribute as float64.
func (p *Plan) FloatAttr(s Span, key string) (float64, bool) {
	a, ok := p.FindAttr(s, key)
	switch a.Kind {
	case Float:
		return math.Float64frombits(a.Val), ok
	case Int:
		return float64(int64(a.Val)), ok
	}
	return 0, false
}

// TextAttr returns a text attribute.
func (p *Plan) TextAttr(s Span, key string) (string, bool) {
	a, ok := p.FindAttr(s, key)
	if !ok || a.Kind != Text {
		return "", false
	}
	return p.Strings[a.Val], true
}

// Root follows views to the buffer that owns the bytes.
func (p *Plan) Root(b int32) int32 {
	for p.Bufs[b].Parent != None {
		b = p.Bufs[b].Parent
	}
	return b
}
