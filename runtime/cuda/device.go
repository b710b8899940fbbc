package cuda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// Device is a bound plan on a GPU. One goroutine at a time may use it.
type Device struct {
	binding
	opt     Options
	drv     driver
	modules []uint64
	entries []*entry
	ids     input
	smp     sampling

	met *meter // see meter.go

	delayFn     uint64 // see stress.go
	delayLoaded bool

	closed bool
	busy   bool  // a launch may still be running: its run was given up
	dead   error // why it cannot be used any more
}

var _ io.Closer = (*Device)(nil)

// entry is a bound entry.
type entry struct {
	name   string
	rows   int
	graph  *graph
	exec   executable
	vocab  int   // ids are below this, if it reads ids
	draws  bool  // it draws a token
	logits int32 // buffer, or plan.None
	row    []float32
}

// Load binds p to a GPU and copies the weights. It is an error when the plan is for another
// architecture, does not fit in the free memory, has no kernels, or when a weight is missing
// or of another size than the plan says.
func Load(p *plan.Plan, w Weights, opt Options) (*Device, error) {
	return LoadContext(context.Background(), p, w, opt)
}

// LoadContext is Load that stops with the context's error when it is done.
func LoadContext(ctx context.Context, p *plan.Plan, w Weights, opt Options) (*Device, error) {
	drv, err := openDriver(opt.GPU)
	if err != nil {
		return nil, err
	}
	return load(ctx, drv, p, w, opt)
}

// load binds p to a driver, which it closes when that fails.
func load(ctx context.Context, drv driver, p *plan.Plan, w Weights, opt Options) (*Device, error) {
	d := &Device{binding: binding{plan: p, arch: drv.gpu().Arch()}, opt: opt, drv: drv}
	if err := drv.bind(); err != nil {
		return nil, errors.Join(err, drv.close())
	}
	err := d.setUp(ctx, w)
	drv.unbind()
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// setUp does everything that a run relies upon, cheapest refusals first.
func (d *Device) setUp(ctx context.Context, w Weights) error {
	if err := checkTarget(d.plan.MetaValue(plan.MetaTarget), d.drv.gpu()); err != nil {
		return err
	}
	if err := d.place(d.opt.Padded); err != nil {
		return err
	}
	var jobs []job
	if !d.opt.MadeUp {
		var err error
		if jobs, err = d.jobs(w); err != nil {
			return err
		}
	}
	if err := d.allocate(); err != nil {
		return err
	}
	if err := d.loadKernels(); err != nil {
		return err
	}
	if err := d.bindControl(); err != nil {
		return err
	}
	d.allowEarly()
	for i := range d.plan.Entries {
		if err := d.bindEntry(i); err != nil {
			return fmt.Errorf("entry %s: %w", d.plan.Str(d.plan.Entries[i].Name), err)
		}
	}
	if err := d.weigh(ctx, jobs); err != nil {
		return err
	}
	if d.smp.params != plan.None {
		return d.setParams(sample.Greedy())
	}
	return nil
}

// weigh puts the weights on the GPU.
func (d *Device) weigh(ctx context.Context, jobs []job) error {
	if !d.opt.MadeUp {
		return d.upload(ctx, jobs)
	}
	return d.makeUp(ctx, func(b *plan.Buf) bool { return d.plan.Regions[b.Region].Kind == plan.Const })
}

// patience is how long Close waits for a run that was given up.
const patience = 5 * time.Second

// Close waits for what runs, for a few seconds, and frees the memory. After a fault there is
// nothing to free: the driver lets go of it when the process ends.
func (d *Device) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	var f *Fault
	if errors.As(d.dead, &f) {
		return nil
	}
	d.dead = errors.New("the device is closed")
	if err := d.drv.bind(); err != nil {
		return errors.Join(err, d.drv.close())
	}
	defer d.drv.unbind()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := d.settle(ctx); err != nil {
		return fmt.Errorf("closing %s, which is still busy: %w", d.drv.gpu(), err)
	}
	return errors.Join(d.free(), d.drv.close())
}

// Entry returns the index of the entry with that name.
func (d *Device) Entry(name string) (int, error) {
	for i, e := range d.entries {
		if e.name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("the plan has no entry %q", name)
}

// EntryFor returns the entry with the fewest rows that takes n rows, of those for which keep
// (if not nil) is true.
func (d *Device) EntryFor(n int, keep func(*plan.Entry) bool) (int, error) {
	best := -1
	for i := range d.plan.Entries {
		e := &d.plan.Entries[i]
		if int(e.Rows) < n || keep != nil && !keep(e) {
			continue
		}
		if best < 0 || e.Rows < d.plan.Entries[best].Rows {
			best = i
		}
	}
	if best < 0 {
		return 0, fmt.Errorf("no entry of the plan takes %d rows", n)
	}
	return best, nil
}

// GPU describes the GPU that the device runs on.
func (d *Device) GPU() GPU { return *d.drv.gpu() }

// Bytes returns what the device allocated on the GPU, in bytes.
func (d *Device) Bytes() uint64 {
	var n uint64
	for _, size := range d.sizes {
		n += size
	}
	return n
}
