package plan

import "math"

// Builder makes a plan section by section. Strings are interned in the order of first use,
// so that the same calls give the same bytes.
type Builder struct {
	P     *Plan
	index map[string]Str
	blobs map[string]Span // by content
}

// NewBuilder returns a builder with an empty plan.
func NewBuilder() *Builder {
	return &Builder{P: &Plan{Strings: []string{""}}, index: map[string]Str{"": 0}}
}

// Str interns s.
func (b *Builder) Str(s string) Str {
	if i, ok := b.index[s]; ok {
		return i
	}
	i := Str(len(b.P.Strings))
	b.P.Strings = append(b.P.Strings, s)
	b.index[s] = i
	return i
}

// IntAttr, FloatAttr and TextAttr make one attribute.
func (b *Builder) IntAttr(key string, v int64) Attr {
	return Attr{Key: b.Str(key), Kind: Int, Val: uint64(v)}
}

// FloatAttr makes a float attribute.
func (b *Builder) FloatAttr(key string, v float64) Attr {
	return Attr{Key: b.Str(key), Kind: Float, Val: math.Float64bits(v)}
}

// TextAttr makes a text attribute.
func (b *Builder) TextAttr(key, v string) Attr {
	return Attr{Key: b.Str(key), Kind: Text, Val: uint64(b.Str(v))}
}

// AddAttrs appends attributes to the pool; they must be sorted by key.
func (b *Builder) AddAttrs(as []Attr) Span {
	s := Span{uint32(len(b.P.Attrs)), uint32(len(as))}
	b.P.Attrs = append(b.P.Attrs, as...)
	return s
}

// AddExpects appends expected definitions to the pool.
func (b *Builder) AddExpects(steps []int32) Span {
	s := Span{uint32(len(b.P.Expects)), uint32(len(steps))}
	b.P.Expects = append(b.P.Expects, steps...)
	return s
}

// AddOperands appends the operands of a step.
func (b *Builder) AddOperands(os []Operand) Span {
	s := Span{uint32(len(b.P.Operands)), uint32(len(os))}
	b.P.Operands = append(b.P.Operands, os...)
	return s
}
