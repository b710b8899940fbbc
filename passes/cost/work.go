// Package cost says what a step of a plan must read and compute: the bytes of weights and
// caches that have to come from memory, and the multiply-adds. Times are for others to add. It
// must not import models or a device.
package cost

import (
	"math"

	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
)

// Work is what steps cost.
type Work struct {
	Weights float64 // bytes of weights read
	State   float64 // bytes of caches read
	Other   float64 // bytes of activations read and written, which the L2 may hold
	Flops   float64 // multiply-adds, twice each
}

// Floor returns the bytes that must come from memory.
func (w Work) Floor() float64 { return w.Weights + w.State }

// Bytes returns the floor, or where there is none all that is moved.
func (w Work) Bytes() float64 {
	if f := w.Floor(); f > 0 {
		return f
	}
	return w.Other
}

// Add returns the sum.
func (w Work) Add(x Work) Work {
	return Work{w.Weights + x.Weights, w.State + x.State, w.Other + x.Other, w.Flops + x.Flops}
}

// Of returns the work of a step at one point of the symbols. Where an op takes rows by a list
// (experts, chosen positions, token ids), the rows counted are those that lists drawn at random
// name at least once: exact for one token, the mean for more.
func Of(p *plan.Plan, step int32, at plan.Point) Work {
	st := &p.Steps[step]
	list := listOf(p, st)
	var w Work
	for i := range p.Ops(st) {
		o := &p.Ops(st)[i]
		if o.Effect == plan.Scr {
			continue
		}
		b := &p.Bufs[o.Buf]
		lo, hi := p.Range(o, at)
		bytes := float64(hi - lo)
		switch kind := p.Regions[b.Region].Kind; {
		case kind == plan.Const && o.Effect == plan.R:
			w.Weights += bytes * share(float64(b.Shape[0]), list, b.Dims > 1, at)
		case kind == plan.State && o.Effect == plan.R && b.Role != plan.Control:
			w.State += bytes * share(float64(at.Len), list, true, at)
		default:
			w.Other += bytes * columns(b, o)
		}
	}
	w.Flops = flops(p, st, at)
	return w
}

// listOf returns how many rows an index list of the step names per row of the step; 0 if it
// reads none.
func listOf(p *plan.Plan, st *plan.Step) float64 {
	for i := range p.Ops(st) {
		o := &p.Ops(st)[i]
		b := &p.Bufs[o.Buf]
		if kind := p.Regions[b.Region].Kind; o.Effect == plan.R && p.Str(b.DType) == "i32" && kind != plan.State && kind != plan.Const {
			if b.Dims < 2 {
				return 1
			}
			return float64(b.Shape[b.Dims-1])
		}
	}
	return 0
}

// share returns the part of rows that lists of k, one for each row of the step, name.
func share(rows, k float64, indexed bool, at plan.Point) float64 {
	if k == 0 || !indexed || rows == 0 {
		return 1
	}
	return 1 - math.Pow(1-min(k/rows, 1), float64(at.N))
}

// columns returns the part of a buffer's rows that an operand selects.
func columns(b *plan.Buf, o *plan.Operand) float64 {
	if o.Cols == 0 || b.Dims == 0 {
		return 1
	}
	return float64(o.Cols) / float64(b.Shape[b.Dims-1])
}

// flops asks the op table.
func flops(p *plan.Plan, st *plan.Step, at plan.Point) float64 {
	op := ops.Find(p.Str(st.Op))
	if op == nil || op.Flops == nil || len(p.Ops(st)) != len(op.Operands) {
		return 0
	}
	var in, out []ir.Type
	for i := range p.Ops(st) {
		o := &p.Ops(st)[i]
		switch o.Effect {
		case plan.R, plan.RW:
			in = append(in, typeOf(p, o, at))
		case plan.W:
			out = append(out, typeOf(p, o, at))
		}
	}
	attrs := make(ir.Attrs, 0, len(op.Attrs))
	for _, a := range op.Attrs {
		if v, ok := p.FindAttr(st.Attrs, a.Name); ok {
			attrs = append(attrs, ir.Attr{Name: a.Name, Val: p.AttrValue(v)})
		}
	}
	return op.Flops(in, out, attrs, ir.Bind{T: int(at.N), R: int(at.N), C: int(at.Len)})
}

// typeOf is the type that the op sees, for the rows that are live.
func typeOf(p *plan.Plan, o *plan.Operand, at plan.Point) ir.Type {
	b := &p.Bufs[o.Buf]
	t := ir.Type{DType: ir.DType(p.Str(b.DType)), Rank: b.Dims}
	for i, d := range b.Shape[:b.Dims] {
		t.Dims[i] = ir.Fixed(int(d))
	}
	if o.Cols > 0 {
		t = t.WithLast(ir.Fixed(int(o.Cols)))
	}
	switch p.Regions[b.Region].Kind {
	case plan.Const:
	case plan.State:
		if b.Layer != plan.None && b.Dims > 0 {
			t.Dims[0] = ir.Fixed(int(at.Len))
		}
	default:
		if b.Dims > 1 {
			t.Dims[0] = ir.Fixed(int(min(at.N, int64(b.Shape[0]))))
		}
		if b.Flags&plan.GrpBuf != 0 { // a list of positions is no longer than the caches
			t = t.WithLast(ir.Fixed(int(min(at.Len, int64(b.Shape[b.Dims-1])))))
		}
	}
	return t
}
