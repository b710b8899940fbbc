package passes

import (
	"cmp"
	"fmt"
	"slices"

	"dsac/ir"
	"dsac/runtime/plan"
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
	layouts := layoutsOf(units)
	for _, v := range e.src.Graph.Args {
		if err := e.arg(v, most, fixed, layouts); err != nil {
			return err
		}
	}
	if _, ok := e.args["ids"]; !ok {
		return fmt.Errorf("the model has no input ids")
	}
	e.ids = e.args["ids"]
	return nil
}

func (e *emitter) arg(v *ir.Value, most ir.Bind, fixed func(string, int32, ir.Type) int32, layouts map[string][]string) error {
	switch v.Kind {
	case ir.Input:
		i := fixed(v.Name, regIn, v.Type)
		// The host fills the live rows; what lies behind them is nobody's.
		b := &e.b.P.Bufs[i]
		b.HasValid, b.Valid = true, plan.Times(int64(b.Size)/int64(b.Shape[0]), plan.SymN)
		e.args[v.Name] = i
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
		return e.weight(v, most, layouts[v.Name])
	}
	return nil
}

// layoutsOf joins the layouts that the entries use, the file's first.
func layoutsOf(units []*Unit) map[string][]string {
	all := make(map[string][]string)
	for _, u := range units {
		for name, ls := range u.Layouts {
			for _, l := range ls {
				if !slices.Contains(all[name], l) {
					all[name] = append(all[name], l)
				}
			}
		}
	}
	for _, ls := range all {
		slices.SortFunc(ls, func(a, b string) int {
			if (a == fileLayout) != (b == fileLayout) {
				if a == fileLayout {
					return -1
				}
				return 1
			}
			return cmp.Compare(a, b)
		})
	}
	return all
}

// weight emits a weight once per layout in which it is used.
func (e *emitter) weight(v *ir.Value, most ir.Bind, layouts []string) error {
	for _, l := range layouts {
		if err := e.weightIn(v, most, l); err != nil {
			return fmt.Errorf("tensor %s: %w", v.Name, err)
		}
	}
	return nil
}

func (e *emitter) weightIn(v *ir.Value, most ir.Bind, layout string) error {
	full := e.buf(v.Name, regConst, v.Type, most, 0)
	t, part := v.Type, uint64(0)
	if v.Shard > 0 && e.opt.TP > 1 {
		// Every rank has an equal part; the plan names that of rank 0.
		d := &t.Dims[v.Shard-1]
		d.K /= uint32(e.opt.TP)
		part = uint64(d.K)
	}
	size, err := weightBytes(t, layout)
	if err != nil {
		return err
	}
	name := v.Name
	if _, twice := e.args[weightKey(v.Name, fileLayout)]; twice {
		name += "." + layout
	}
	b := e.buf(name, regConst, t, most, size)
	if layout != fileLayout {
		b.Layout = e.b.Str(layout)
	}
	i := e.place(b)
	e.args[weightKey(v.Name, layout)] = i
	w := plan.Weight{Name: full.Name, Type: b.DType, Layout: e.b.Str(layout), Buf: i, Dims: [4]uint64{1, 1, 1, 1}, Axis: plan.None}
	for k := range int(b.Dims) {
		w.Dims[k] = uint64(full.Shape[int(b.Dims)-1-k])
	}
	if part > 0 {
		w.Axis, w.Hi = int32(int(b.Dims)-v.Shard), part
	}
	e.b.P.Weights = append(e.b.P.Weights, w)
	return nil
}

// weightKey names a weight in a layout among the emitter's buffers.
func weightKey(name, layout string) string { return layout + " " + name }
