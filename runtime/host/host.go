// Package host is the device that every machine has: plain Go, exact (float32 values,
// float64 sums), parallel over the cores. It binds a plan once and replays it without
// allocating. It runs plans of any target, so that other devices can be compared with it. It
// must not import ir, models, passes or codegen.
package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"dsac/runtime/plan"
	"dsac/runtime/sample"
)

// ErrUnsupported is wrapped by the errors about plans that are right but that this device
// cannot run.
var ErrUnsupported = errors.New("not supported by the host device")

// Weights gives the bytes of a GGUF tensor as the file holds them. They are read in place for
// as long as the device lives.
type Weights interface {
	Data(name string) ([]byte, error)
}

// Layout packs a tensor as a device stores it and unpacks it again: it returns the bytes in GGUF
// layout that a kernel's reader of the packed form would see.
type Layout func(w *plan.Weight, tensor []byte) ([]byte, error)

// Options of a device. The zero value runs on all cores without checks.
type Options struct {
	Workers int // goroutines that compute; 0 = GOMAXPROCS

	// Poison fills scratch with NaN (integers with 0x80000000) before every step, checks
	// integer operands before use, and results for NaN after it.
	Poison bool
	// Canary places buffers apart, 64 guard bytes round each, and verifies after every step
	// that nothing changed but what the step declares as written.
	Canary bool

	// Before and After, if not nil, are called around every step; an error ends the run.
	Before, After func(step int32) error

	// Layouts, by layout name, take weights through their packed form, to test it. The weights
	// of a layout without an entry are read from the file as they are, which is what undoing any
	// layout gives.
	Layouts map[string]Layout
}

// Device is a bound plan. One goroutine at a time may use it.
type Device struct {
	plan    *plan.Plan
	opt     Options
	engine  *engine
	regions []region
	bufs    [][]byte // per buffer: its bytes
	offs    []uint64 // per buffer: where it lies in its region
	entries []*entry
	ctl     []byte // the control buffer
	ctx     int    // rows of the caches; 0 = not stated by the plan
	inputs  inputs
	check   checker // poison and canary
	dead    error   // set by Close
}

// Load binds p to memory and weights. It is an error when the plan uses an op that the host
// does not know, when a buffer leaves its region, or when a weight is missing or of another
// size than the plan says.
func Load(p *plan.Plan, w Weights, opt Options) (*Device, error) {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	d := &Device{plan: p, opt: opt}
	if s := p.MetaValue(plan.MetaCtx); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("plan says ctx=%q, want a number of cache rows", s)
		}
		d.ctx = n
	}
	if err := d.bind(w); err != nil {
		return nil, errors.Join(err, d.free())
	}
	d.engine = newEngine(opt.Workers)
	d.Reset()
	if d.inputs.params != nil {
		if err := d.SetParams(sample.Greedy()); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	return d, nil
}

// Close stops the workers and frees the memory. The device must be idle.
func (d *Device) Close() error {
	if d.dead != nil {
		return nil
	}
	d.dead = errors.New("the device is closed")
	d.engine.close()
	return d.free()
}

var _ io.Closer = (*Device)(nil)

// Run executes entry e with n live rows: the ids of IDs()[:n] at positions Pos().. . It
// allocates nothing once warm. After an error the caches are in an unknown state.
func (d *Device) Run(e, n int) error { return d.RunContext(context.Background(), e, n) }

// Entry returns the index of the entry with that name.
func (d *Device) Entry(name string) (int, error) {
	for i := range d.plan.Entries {
		if d.plan.Str(d.plan.Entries[i].Name) == name {
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
