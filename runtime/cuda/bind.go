package cuda

import (
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// bindEntry makes the graph of an entry and holds what the driver made of it against the plan.
func (d *Device) bindEntry(i int) error {
	pe := &d.plan.Entries[i]
	e := &entry{name: d.plan.Str(pe.Name), rows: int(pe.Rows), logits: plan.None}
	d.entries = append(d.entries, e)
	if e.rows == 0 {
		return nil // it only repacks weights, which upload does
	}
	if err := d.bindInputs(i, e); err != nil {
		return err
	}
	var err error
	if e.graph, err = d.buildGraph(i); err != nil {
		return err
	}
	for k := range e.graph.nodes {
		if n := &e.graph.nodes[k]; n.kind == kernelNode {
			if err := d.drv.allowShared(n.fn, n.shared); err != nil {
				return fmt.Errorf("%s: %w", d.where(n), err)
			}
		}
	}
	if e.exec, err = d.drv.instantiate(e.graph); err != nil {
		return err
	}
	held, err := e.exec.readBack()
	if err != nil {
		return err
	}
	return d.checkGraph(i, held)
}

// allowEarly lets launches start early where the plan has such and the driver knows them;
// without, every launch waits for the end of the one ahead of it, which is said once.
func (d *Device) allowEarly() {
	if !slices.ContainsFunc(d.plan.Steps, func(s plan.Step) bool { return startsEarly(&s) }) {
		return
	}
	if d.early = d.drv.early(); !d.early {
		d.opt.log(fmt.Sprintf("%s: launches do not start early, which needs a driver of CUDA 12.3 or newer", d.drv.gpu()))
	}
}

// where names a node by its steps and its kernel.
func (b *binding) where(n *node) string {
	if n.kind != kernelNode || n.launch == plan.None {
		return "the copy of the control block"
	}
	l := &b.plan.Launches[n.launch]
	first := &b.plan.Steps[l.First]
	s := fmt.Sprintf("step %s (%s), kernel %s", b.plan.Str(first.Name), b.plan.Str(first.Op), b.plan.Str(b.plan.Kernels[l.Kernel].Name))
	if l.Count > 1 {
		s += fmt.Sprintf(" and %d more steps in its launch", l.Count-1)
	}
	return s
}
