package models

import (
	"cmp"
	"fmt"
	"slices"

	"dsac/ir"
)

// BindOptions are the choices of a compile that a description leaves open.
type BindOptions struct {
	// Ctx is the number of rows of the caches; 0 = the file's context_length.
	Ctx int
	// KV is the element type of the caches; "" = f32.
	KV ir.DType
}

// Bound is a description bound to the header of a file.
type Bound struct {
	Model   *Model
	Ctx     int       // rows of the caches
	Weights []*Weight // in order of declaration; all are used by some entry
	States  []*State  // in order of declaration
	graphs  []*ir.Graph
	params  map[string]any
}

// Bind evaluates the description for one file and builds the graphs of all entries. Errors are
// of type Errors.
func (m *Model) Bind(h Header, opt BindOptions) (*Bound, error) {
	if h.Arch() != m.Arch {
		return nil, fmt.Errorf("the file's architecture is %q, %s describes %q", h.Arch(), m.src.name, m.Arch)
	}
	ctx, err := contextRows(h, m.Arch, opt.Ctx)
	if err != nil {
		return nil, err
	}
	b := &Bound{Model: m, Ctx: ctx, params: make(map[string]any)}
	e := &evaluator{src: m.src, header: h, arch: m.Arch, defs: m.defs, globals: make(map[string]any), locals: make(map[string]any)}
	if err := b.bindParams(e); err != nil {
		return nil, err
	}
	if err := b.bindTensors(e); err != nil {
		return nil, err
	}
	if err := b.bindStates(e, cmp.Or(opt.KV, ir.F32)); err != nil {
		return nil, err
	}
	if err := b.bindEntries(e); err != nil {
		return nil, err
	}
	return b, nil
}

func contextRows(h Header, arch string, want int) (int, error) {
	key := arch + ".context_length"
	v, _ := h.Value(key)
	most, ok := v.(int64)
	switch {
	case want < 0:
		return 0, fmt.Errorf("context %d: want at least 1", want)
	case want > 0 && (!ok || int64(want) <= most):
		return want, nil
	case want > 0:
		return 0, fmt.Errorf("context %d is larger than the model's (%s = %d)", want, key, most)
	case !ok || most < 1 || most > maxExtent:
		return 0, fmt.Errorf("the file has no usable %s (%s); give the context", key, show(v))
	}
	return int(most), nil
}

// bindParams evaluates params and checks in the order of the file. A failed check ends it, as
// later ones may rest on it; other errors are collected.
func (b *Bound) bindParams(e *evaluator) error {
	var errs errorList
	for _, d := range b.Model.file.Decls {
		switch {
		case d.Param != nil:
			v, err := e.param(d.Param)
			if err != nil {
				errs.add(err)
				v = poison{}
			}
			e.globals[d.Param.Name] = v
			b.params[d.Param.Name] = v
		case d.Check != nil:
			if err := e.check(d.Check); err != nil && err != poisoned {
				errs.add(err)
				return errs.err()
			}
		}
	}
	return errs.err()
}

func (e *evaluator) check(d *checkNode) *Error {
	one := func(int64) *Error {
		ok, err := e.holds(d.Cond)
		if err != nil || ok {
			return err
		}
		msg, err := e.fill(d.Msg)
		if err != nil {
			return err
		}
		return e.src.errorf(d.Pos, "%s", msg)
	}
	if d.For == nil {
		return one(0)
	}
	return e.each(d.For, one)
}

// bindTensors binds weights and demands that every tensor of the file is used or ignored.
func (b *Bound) bindTensors(e *evaluator) error {
	var errs errorList
	wb := &weightBinder{evaluator: e, tensors: make(map[string]Tensor), claimed: make(map[string]bool), errs: &errs}
	list := e.header.Tensors()
	for _, t := range list {
		wb.tensors[t.Name] = t
	}
	var patterns []string
	for _, d := range b.Model.file.Decls {
		switch {
		case d.Weight != nil:
			wb.declare(d.Weight)
		case d.Ignore != nil:
			errs.add(wb.ignore(d.Ignore, &patterns))
		}
	}
	if err := errs.err(); err != nil {
		return err
	}
	for _, t := range list {
		if !wb.claimed[t.Name] && !slices.ContainsFunc(patterns, func(p string) bool { return matches(p, t.Name) }) {
			errs.each(e.src.errorf(b.Model.file.Arch.Pos,
				"unused weight: the file has tensor %q %s, which no weight declares and no ignore covers", t.Name, shapeText(t.Dims)))
		}
	}
	b.Weights = wb.weights
	return errs.err()
}

func (b *Bound) bindStates(e *evaluator, kv ir.DType) error {
	var errs errorList
	for _, d := range b.Model.file.Decls {
		if d.State == nil {
			continue
		}
		if err := e.declareState(d.State, kv, &b.States); err != nil {
			errs.add(err)
		}
	}
	return errs.err()
}

// Graph returns a fresh copy of an entry's graph.
func (b *Bound) Graph(entry string) (*ir.Graph, error) {
	for _, g := range b.graphs {
		if g.Name == entry {
			return g.Clone(), nil
		}
	}
	return nil, fmt.Errorf("%s has no entry %q; it has %q", b.Model.src.name, entry, b.Entries())
}

// Entries returns the names of the entries in order of declaration.
func (b *Bound) Entries() []string {
	var names []string
	for _, g := range b.graphs {
		names = append(names, g.Name)
	}
	return names
}

// Param returns a param's value: int64, float64, bool, string, nil or Array; ok is false for
// an unknown name.
func (b *Bound) Param(name string) (v any, ok bool) {
	v, ok = b.params[name]
	return v, ok
}

// ParamAt returns element i of a param with a range.
func (b *Bound) ParamAt(name string, i int) (v any, ok bool) {
	t, ok := b.params[name].(table)
	if !ok || int64(i) < t.from || int64(i) >= t.from+int64(len(t.vals)) {
		return nil, false
	}
	return t.vals[int64(i)-t.from], true
}

// Vocab returns the number of logits of a row: the last dimension of the first entry's result.
func (b *Bound) Vocab() int { return int(b.graphs[0].Results[0].Type.Last().K) }
