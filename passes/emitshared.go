package passes

import (
	"fmt"

	"dsac/ir"
	"dsac/ir/ops"
	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// shared emits the buffers that all entries use: the control buffer, the sampler's, the
// inputs at the largest entry's extents, the weights and the caches.
func (e *emitter) shared(units []*Unit) error {
	most := ir.Bind{C: e.opt.Ctx}
	for _, u := range units {
		most.T, most.R = max(most.T, u.Bind.T), max(most.R, u.Bind.R)
	}
	bytes := func(n int) ir.Type { return ir.Of(ir.U8, ir.Fixed(n)) }
	fixed := func(name string, region int32, t ir.Type) int32 {
		n, err := bytesOf(t, most)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		b := e.buf(name, region, t, most, n)
		if region == regState {
			b.HasValid, b.Valid = true, plan.Fixed(int64(n))
		}
		if name == "ctl" {
			b.Role = plan.Control
		}
		return e.place(b)
	}
	e.ctl = fixed("ctl", regState, bytes(plan.CtlSize))
	e.hist = fixed("hist", regState, ir.Of(ir.I32, ir.Fixed(e.src.Vocab)))
	e.smp = fixed("params", regIn, bytes(plan.SmpSize))
	e.mask = fixed("mask", regIn, bytes(e.src.Vocab))
	for _, v := range e.src.Graph.Args {
		if err := e.arg(v, most, fixed); err != nil {
			return err
		}
	}
	if _, ok := e.args["ids"]; !ok {
		return fmt.Errorf("the model has no input ids")
	}
	e.ids = e.args["ids"]
	return nil
}

func (e *emitter) arg(v *ir.Value, most ir.Bind, fixed func(string, int32, ir.Type) int32) error {
	switch v.Kind {
	case ir.Input:
		e.args[v.Name] = fixed(v.Name, regIn, v.Type)
	case ir.State:
		t := v.Type
		if t.DType == kvType {
			t.DType = ir.DType(e.opt.KV)
		}
		n, err := bytesOf(t, most)
		if err != nil {
			return fmt.Errorf("state %s: %w", v.Name, err)
		}
		b := e.buf(v.Name, regState, t, most, n)
		b.Layer = int32(v.Layer)
		b.HasValid, b.Valid = true, plan.Times(int64(n)/int64(most.C), plan.SymPos)
		e.args[v.Name] = e.place(b)
	case ir.Weight:
		return e.weight(v, most)
	}
	return nil
}

func (e *emitter) weight(v *ir.Value, most ir.Bind) error {
	qt, err := quant.Parse(string(v.Type.DType))
	if err != nil {
		return fmt.Errorf("tensor %s: %w", v.Name, err)
	}
	n, err := qt.RowBytes(most.Extent(v.Type.Last()))
	if err != nil {
		return fmt.Errorf("tensor %s: %w", v.Name, err)
	}
	size := uint64(n)
	for _, d := range v.Type.Shape()[:v.Type.Rank-1] {
		size *= uint64(most.Extent(d))
	}
	full := e.buf(v.Name, regConst, v.Type, most, size)
	b := full
	part := uint64(0)
	if v.Shard > 0 && e.opt.TP > 1 {
		// Every rank has an equal part; the plan names that of rank 0.
		b.Shape[v.Shard-1] /= uint32(e.opt.TP)
		b.Size = size / uint64(e.opt.TP)
		part = uint64(b.Shape[v.Shard-1])
	}
	i := e.place(b)
	e.args[v.Name] = i
	w := plan.Weight{Name: b.Name, Type: b.DType, Layout: e.b.Str("gguf"), Buf: i, Dims: [4]uint64{1, 1, 1, 1}, Axis: plan.None}
	for k := range int(b.Dims) {
		w.Dims[k] = uint64(full.Shape[int(b.Dims)-1-k])
	}
	if part > 0 {
		w.Axis, w.Hi = int32(int(b.Dims)-v.Shard), part
	}
	e.b.P.Weights = append(e.b.P.Weights, w)
	return nil
}

// sampleWork is the type of the sampler's scratch.
func (e *emitter) sampleWork(bind ir.Bind) ir.Type {
	return ops.Sample.Scratch([]ir.Type{ir.Of(ir.F32, ir.Fixed(1), ir.Fixed(e.src.Vocab))}, nil, bind)[0]
}
