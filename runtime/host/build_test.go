package host

import (
	"testing"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// builder makes plans by hand: every buffer gets bytes of its own.
type builder struct {
	t     testing.TB
	b     *plan.Builder
	entry int32
	rows  int // of the entry being built
	ctl   int32
	sizes [5]uint64
}

const (
	inA = iota
	inI
	inO
	inW
	inS
)

func newBuilder(t testing.TB, ctx int) *builder {
	b := &builder{t: t, b: plan.NewBuilder(), entry: plan.None}
	p := b.b.P
	for i, kind := range []plan.RegionKind{plan.Arena, plan.In, plan.Out, plan.Const, plan.State} {
		p.Regions = append(p.Regions, plan.Region{Name: b.b.Str("AIOWS"[i : i+1]), Kind: kind})
	}
	if ctx > 0 {
		p.Meta = append(p.Meta, plan.KV{Key: b.b.Str(plan.MetaCtx), Val: b.b.Str(itoa(ctx))})
	}
	b.ctl = b.buf("ctl", inS, "u8", plan.CtlSize)
	p.Bufs[b.ctl].Role = plan.Control
	return b
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// buf adds a buffer; temporaries and results belong to the current entry.
func (b *builder) buf(name string, region int, dtype string, shape ...int) int32 {
	p := b.b.P
	size := uint64(1)
	if dtype == "u8" {
		size = uint64(shape[0])
	} else {
		t, err := quant.Parse(dtype)
		if err != nil {
			b.t.Fatal(err)
		}
		n, err := t.RowBytes(shape[len(shape)-1])
		if err != nil {
			b.t.Fatal(err)
		}
		size = uint64(n)
		for _, d := range shape[:len(shape)-1] {
			size *= uint64(d)
		}
	}
	buf := plan.Buf{Name: b.b.Str(name), Region: int32(region), Entry: plan.None, Parent: plan.None, InplaceOf: plan.None,
		Layer: plan.None, LifeLo: plan.None, LifeHi: plan.None, Off: b.sizes[region], Size: size, DType: b.b.Str(dtype), Dims: uint8(len(shape))}
	if region == inA || region == inO {
		buf.Entry = b.entry
	}
	for i, d := range shape {
		buf.Shape[i] = uint32(d)
	}
	b.sizes[region] += (size + 63) / 64 * 64
	p.Regions[region].Size = b.sizes[region]
	p.Bufs = append(p.Bufs, buf)
	return int32(len(p.Bufs) - 1)
}

// tmp adds a temporary of the current entry.
func (b *builder) tmp(name string, shape ...int) int32 { return b.buf(name, inA, "f32", shape...) }

// weight adds a constant buffer bound to a tensor.
func (b *builder) weight(name, dtype string, shape ...int) int32 {
	i := b.buf(name, inW, dtype, shape...)
	w := plan.Weight{Name: b.b.Str(name), Type: b.b.Str(dtype), Layout: b.b.Str("gguf"), Buf: i, Dims: [4]uint64{1, 1, 1, 1}, Axis: plan.None}
	for k := range shape {
		w.Dims[k] = uint64(shape[len(shape)-1-k])
	}
	b.b.P.Weights = append(b.b.P.Weights, w)
	return i
}

// cache adds a state buffer of a layer.
func (b *builder) cache(name string, layer int, dtype string, shape ...int) int32 {
	i := b.buf(name, inS, dtype, shape...)
	b.b.P.Bufs[i].Layer = int32(layer)
	return i
}

func (b *builder) begin(name string, rows, outs int) {
	p := b.b.P
	b.entry, b.rows = int32(len(p.Entries)), rows
	p.Entries = append(p.Entries, plan.Entry{Name: b.b.Str(name), Rows: uint32(rows), Outs: uint32(outs),
		Steps: plan.Span{Off: uint32(len(p.Steps))}, Items: plan.Span{Off: uint32(len(p.Items))}})
}

func (b *builder) end() {
	p := b.b.P
	e := &p.Entries[b.entry]
	e.Steps.Len, e.Items.Len = uint32(len(p.Steps))-e.Steps.Off, uint32(len(p.Items))-e.Items.Off
	e.Arena = b.sizes[inA]
	b.entry = plan.None
}

// columns is a column selection of a read operand.
type columns struct {
	buf    int32
	lo, hi int
}

// effects of ops that do not simply write their last operand.
var effects = map[string][]plan.Effect{
	"index_topk": {plan.R, plan.R, plan.R, plan.W, plan.Scr},
	"router":     {plan.R, plan.R, plan.W, plan.W},
	"sample":     {plan.R, plan.R, plan.R, plan.RW, plan.W},
	"advance":    {plan.RW, plan.W},
}

// step adds a step; operands are buffers (int32) or columns of them.
func (b *builder) step(op string, as []plan.Attr, operands ...any) {
	p := b.b.P
	var os []plan.Operand
	for i, x := range operands {
		o := plan.Operand{Effect: plan.R, Hi: plan.Whole}
		if i == len(operands)-1 {
			o.Effect = plan.W
		}
		if e := effects[op]; e != nil {
			o.Effect = e[i]
		}
		switch x := x.(type) {
		case int32:
			o.Buf = x
		case columns:
			o.Buf, o.Col, o.Cols = x.buf, uint32(x.lo), uint32(x.hi-x.lo)
		default:
			b.t.Fatalf("operand %d of %s: %T", i, op, x)
		}
		b.ranges(op, &o)
		os = append(os, o)
	}
	index := int32(len(p.Steps))
	p.Steps = append(p.Steps, plan.Step{Name: b.b.Str(op + "." + itoa(int(index))), Op: b.b.Str(op), Operands: b.b.AddOperands(os),
		Attrs: b.b.AddAttrs(as), Source: plan.None, Launch: plan.None})
	p.Items = append(p.Items, plan.Item{Kind: plan.DoStep, Index: index})
}

func (b *builder) ranges(op string, o *plan.Operand) {
	buf := &b.b.P.Bufs[o.Buf]
	perRow := int64(buf.Size) / int64(buf.Shape[0])
	switch {
	case o.Effect == plan.Scr:
	case buf.Layer != plan.None && o.Effect == plan.W:
		o.Lo, o.Hi = plan.Times(perRow, plan.SymPos), plan.Times(perRow, plan.SymLen)
	case buf.Layer != plan.None:
		o.Hi = plan.Times(perRow, plan.SymLen)
	case op == "sample" && o.Effect == plan.W:
		o.Lo, o.Hi = plan.Fixed(plan.CtlRNG), plan.Fixed(plan.CtlError)
	case op == "advance" && o.Effect == plan.W:
		o.Hi = plan.Fixed(4)
	case buf.Region == inA && int(buf.Shape[0]) == b.rows:
		o.Hi = plan.Times(perRow, plan.SymN)
	case buf.Region == inO && int(buf.Shape[0]) == b.rows && b.rows > 1:
		o.Hi = plan.Times(perRow, plan.SymN)
	}
}

func (b *builder) i(key string, v int) plan.Attr     { return b.b.IntAttr(key, int64(v)) }
func (b *builder) f(key string, v float64) plan.Attr { return b.b.FloatAttr(key, v) }
