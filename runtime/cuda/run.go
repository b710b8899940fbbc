package cuda

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"time"

	"dsac/runtime/plan"
)

// Run executes entry e with n live rows: the ids of IDs()[:n] at positions Pos().. . It
// allocates nothing. After an error the caches are in an unknown state.
func (d *Device) Run(e, n int) error { return d.RunContext(context.Background(), e, n) }

// RunContext is Run that returns the context's error when it is done, without waiting for
// the GPU.
func (d *Device) RunContext(ctx context.Context, e, n int) error {
	if e < 0 || e >= len(d.entries) {
		return fmt.Errorf("entry %d of a plan with %d", e, len(d.entries))
	}
	if d.opt.stepwise() {
		return d.run(ctx, e, n, nil)
	}
	return d.run(ctx, e, n, d.entries[e].exec)
}

// run executes entry e as x, or launch by launch if that is nil.
func (d *Device) run(ctx context.Context, e, n int, x executable) error {
	if d.dead != nil {
		return d.dead
	}
	if err := d.drv.bind(); err != nil {
		return err
	}
	defer d.drv.unbind()
	if err := d.settle(ctx); err != nil {
		return err
	}
	en := d.entries[e]
	if err := d.admit(en, n, d.Pos()); err != nil {
		return err
	}
	if en.vocab > 0 {
		if err := d.sendIDs(n); err != nil {
			return d.fail(en, nil, err)
		}
	}
	d.setControl(n)
	var err error
	if x == nil {
		err = d.runSteps(ctx, en)
	} else {
		err = d.replay(ctx, en, x)
	}
	if err != nil {
		return err
	}
	return d.finish(en)
}

// Observe sets the callbacks around every step (see Options); nil ends observing.
func (d *Device) Observe(before, after func(step int32) error) {
	d.opt.Before, d.opt.After = before, after
}

// admit checks what the plan's ranges rely upon.
func (d *Device) admit(en *entry, n, pos int) error {
	if n < 1 || n > en.rows {
		return fmt.Errorf("%d rows in an entry for 1 to %d", n, en.rows)
	}
	if ctx := d.plan.Ctx(); ctx > 0 && (pos < 0 || int64(pos) > ctx-int64(n)) {
		return fmt.Errorf("context is full: %d rows after %d positions, the plan has room for %d", n, pos, ctx)
	}
	if en.vocab == 0 {
		return nil
	}
	for i, id := range d.ids.ids[:n] {
		if id < 0 || int(id) >= en.vocab {
			return fmt.Errorf("token id %d at row %d is outside the vocabulary of %d", id, i, en.vocab)
		}
	}
	return nil
}

// replay launches a graph of the entry and waits for it.
func (d *Device) replay(ctx context.Context, en *entry, x executable) error {
	if err := d.drv.launch(x); err != nil {
		return d.fail(en, nil, err)
	}
	return d.await(ctx, en, nil)
}

// runSteps launches the entry's nodes one by one, in plan order.
func (d *Device) runSteps(ctx context.Context, en *entry) error {
	if err := d.drv.write(d.ctl.device, d.ctl.host.bytes); err != nil {
		return d.fail(en, nil, err)
	}
	for i := range en.graph.nodes {
		n := &en.graph.nodes[i]
		if n.kind != kernelNode {
			continue
		}
		l := &d.plan.Launches[n.launch]
		if err := hook(d.opt.Before, l); err != nil {
			return err
		}
		if err := d.drv.launchNode(n); err != nil {
			return d.fail(en, n, err)
		}
		if err := d.await(ctx, en, n); err != nil {
			return err
		}
		if err := hook(d.opt.After, l); err != nil {
			return err
		}
	}
	if err := d.drv.read(d.ctl.host.bytes, d.ctl.device); err != nil {
		return d.fail(en, nil, err)
	}
	return nil
}

func hook(f func(step int32) error, l *plan.Launch) error {
	for s := l.First; f != nil && s < l.First+l.Count; s++ {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

const (
	spin    = 20                    // microseconds of busy waiting between looks at the context
	patient = 2 * time.Millisecond  // of busy waiting: then the thread sleeps between looks
	nap     = 50 * time.Microsecond //
)

// await waits for the GPU. A node that is named is the only one that runs.
func (d *Device) await(ctx context.Context, en *entry, n *node) error {
	d.busy = true
	fault, stopped := untilDone(ctx, d.drv)
	switch {
	case fault != nil:
		return d.fail(en, n, fault)
	case stopped != nil:
		return stopped
	}
	d.busy = false
	return nil
}

// untilDone waits for the GPU: busy at first, because a decode step is short. It returns the
// driver's error, or that of a context which ended first.
func untilDone(ctx context.Context, drv driver) (fault, stopped error) {
	start := time.Now()
	for {
		done, err := drv.done(spin)
		if err != nil || done {
			return err, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if time.Since(start) > patient {
			time.Sleep(nap)
		} else {
			runtime.Gosched()
		}
	}
}

// settle waits for a run that was given up.
func (d *Device) settle(ctx context.Context) error {
	if !d.busy {
		return nil
	}
	return d.await(ctx, nil, nil)
}

// fail makes the device unusable: after a fault the driver answers every call with it. The
// names are copied: the error may outlive the mapping of the plan file.
func (d *Device) fail(en *entry, n *node, err error) error {
	d.busy = false
	f := &Fault{GPU: d.drv.gpu().String(), Err: err}
	if en != nil {
		f.Entry = strings.Clone(en.name)
	}
	if n != nil && n.launch != plan.None {
		l := &d.plan.Launches[n.launch]
		f.Step = strings.Clone(d.plan.Str(d.plan.Steps[l.First].Name))
		f.Kernel = strings.Clone(d.plan.Str(d.plan.Kernels[l.Kernel].Name))
		f.where = d.where(n)
	}
	d.dead = f
	return f
}

// finish reads what a run left in the control block.
func (d *Device) finish(en *entry) error {
	if bits := binary.LittleEndian.Uint32(d.ctl.host.bytes[plan.CtlError:]); bits != 0 {
		return fmt.Errorf("entry %s: kernels report error bits %#x", en.name, bits)
	}
	if en.draws && en.vocab > 0 {
		d.ids.ids[0] = d.Token()
		d.ids.held[0] = d.ids.ids[0]
	}
	return nil
}
