package host

import (
	"fmt"
	"slices"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// entry is a bound entry.
type entry struct {
	rows   int
	steps  []*step // in execution order
	ids    []int32
	vocab  int // ids are below this
	logits *ref.Arg
}

// step is a bound step.
type step struct {
	index int32
	name  string
	op    string
	call  ref.Call
	run   kernel   // or, when the host has no faster version:
	ref   ref.Func // the op's reference
	rows  bool     // whose rows may be split over workers
}

// rawTypes are buffer types that no op decodes: they are bound as bytes.
var rawTypes = []string{"", "u8", "u64", "i64"}

func (d *Device) bind(w Weights) error {
	if err := d.allocate(); err != nil {
		return err
	}
	if err := d.bindWeights(w); err != nil {
		return err
	}
	if err := d.bindControl(); err != nil {
		return err
	}
	for i := range d.plan.Entries {
		e, err := d.bindEntry(&d.plan.Entries[i])
		if err != nil {
			return fmt.Errorf("entry %s: %w", d.plan.Str(d.plan.Entries[i].Name), err)
		}
		d.entries = append(d.entries, e)
	}
	return nil
}

func (d *Device) bindControl() error {
	for i := range d.plan.Bufs {
		b := &d.plan.Bufs[i]
		if b.Role != plan.Control || b.Parent != plan.None {
			continue
		}
		if d.ctl != nil {
			return fmt.Errorf("the plan has more than one control buffer: %s", d.plan.Str(b.Name))
		}
		if d.ctl = d.bufs[i]; len(d.ctl) < plan.CtlSize {
			return fmt.Errorf("control buffer %s has %d bytes, want %d", d.plan.Str(b.Name), len(d.ctl), plan.CtlSize)
		}
	}
	if d.ctl == nil {
		return fmt.Errorf("the plan has no control buffer (role=control)")
	}
	return nil
}

// bindEntry binds the steps of an entry. The load entry repacks weights for kernels: it has no
// rows, and the host, which reads the file's own bytes, has nothing to do there.
func (d *Device) bindEntry(pe *plan.Entry) (*entry, error) {
	e := &entry{rows: int(pe.Rows)}
	if pe.Rows == 0 {
		return e, nil
	}
	for _, it := range d.plan.EntryItems(pe) {
		if it.Kind != plan.DoStep {
			continue // the order of items respects every event
		}
		s, err := d.bindStep(it.Index)
		if err != nil {
			return nil, err
		}
		e.steps = append(e.steps, s)
	}
	return e, d.bindInputs(e)
}

func (d *Device) bindStep(index int32) (*step, error) {
	p := d.plan
	ps := &p.Steps[index]
	s := &step{index: index, name: p.Str(ps.Name), op: p.Str(ps.Op)}
	op, ok := ref.Lookup(s.op)
	if !ok {
		return nil, fmt.Errorf("step %s: %w: op %q", s.name, ErrUnsupported, s.op)
	}
	s.run, s.ref, s.rows = kernels[s.op], op.Run, op.Rows
	s.call.Attrs = attrs(p, ps.Attrs)
	for _, key := range op.Attrs {
		if !s.call.Attrs.Has(key) {
			return nil, fmt.Errorf("step %s (%s): attribute %s is missing", s.name, s.op, key)
		}
	}
	operands := p.Ops(ps)
	for i := range operands {
		a, err := d.bindOperand(&operands[i])
		if err != nil {
			return nil, fmt.Errorf("step %s (%s): operand %d, buffer %s: %w", s.name, s.op, i, p.Str(p.Bufs[operands[i].Buf].Name), err)
		}
		s.call.Args = append(s.call.Args, a)
	}
	if err := op.Bind(s.call.Args); err != nil {
		return nil, fmt.Errorf("step %s (%s): %w", s.name, s.op, err)
	}
	return s, nil
}

func (d *Device) bindOperand(o *plan.Operand) (ref.Arg, error) {
	b := &d.plan.Bufs[o.Buf]
	mem := d.bufs[o.Buf]
	if mem == nil && b.Size > 0 {
		return ref.Arg{}, fmt.Errorf("it is constant, but no weight is bound to it")
	}
	dtype := d.plan.Str(b.DType)
	if o.DType != 0 {
		dtype = d.plan.Str(o.DType)
	}
	if slices.Contains(rawTypes, dtype) {
		return ref.NewArg(quant.I8, []int{len(mem)}, 0, 0, mem)
	}
	t, err := quant.Parse(dtype)
	if err != nil {
		return ref.Arg{}, err
	}
	shape := make([]int, b.Dims)
	for i := range shape {
		shape[i] = int(b.Shape[i])
	}
	return ref.NewArg(t, shape, int(o.Col), int(o.Cols), mem)
}

func attrs(p *plan.Plan, s plan.Span) ref.Attrs {
	a := ref.Attrs{Ints: map[string]int64{}, Floats: map[string]float64{}, Texts: map[string]string{}}
	for _, at := range p.AttrList(s) {
		key := p.Str(at.Key)
		switch at.Kind {
		case plan.Int:
			a.Ints[key], _ = p.IntAttr(s, key)
		case plan.Float:
			a.Floats[key], _ = p.FloatAttr(s, key)
		case plan.Text:
			a.Texts[key], _ = p.TextAttr(s, key)
		}
	}
	return a
}
