package cuda

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// Timing is what a graph took.
type Timing struct {
	Micros float64 `json:"us"`     // median of the replays, divided by the rounds in a graph
	Spread float64 `json:"spread"` // half of the distance between the quartiles, as a part of the median
	Rounds int     `json:"rounds"` // how often a graph does what is timed
	Runs   int     `json:"runs"`   // replays measured
}

// stopwatch measures the GPU's own time between two points of the stream of launches.
type stopwatch interface {
	start() error
	stop() error
	micros() (float64, error) // once all that was launched is done
	close() error
}

// meter times graphs and the device itself. Its calls need the thread to be bound.
type meter struct {
	drv     driver
	module  uint64
	kernels [len(meterNames)]uint64
}

//go:embed meter.ptx
var meterPTX []byte

// Kernels of meter.ptx.
const (
	meterCopy = iota // dst, src, 16-byte words, one for each thread
	meterFill        // dst, 16-byte words, pattern, words of the pattern: repeats it
	meterMMA         // dst, rounds: eight m16n8k16 products of f16 per warp and round
)

var meterNames = [...]string{"dsac_meter_copy", "dsac_meter_fill", "dsac_meter_mma"}

func newMeter(drv driver) (*meter, error) {
	m := &meter{drv: drv}
	var log string
	var err error
	if m.module, log, err = drv.load(meterPTX); err != nil {
		return nil, fmt.Errorf("the kernels that measure the device: %w\n%s", err, log)
	}
	for i, name := range meterNames {
		if m.kernels[i], err = drv.function(m.module, name); err != nil {
			return nil, errors.Join(err, drv.unload(m.module))
		}
	}
	return m, nil
}

// Bounds of a measurement. A graph that is short is warmed up twice and replayed often; one
// that takes seconds is warmed up and replayed once.
const (
	mostRuns = 31
	budget   = 400e3 // microseconds of replays
)

// time replays a graph that does something rounds times over. before, if not nil, is called
// ahead of every replay, outside of what is timed.
func (m *meter) time(ctx context.Context, g *graph, rounds int, before func() error) (t Timing, err error) {
	x, err := m.drv.instantiate(g)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, x.destroy()) }()
	w, err := m.drv.stopwatch()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	replay := func() (float64, error) {
		if before != nil {
			if err := before(); err != nil {
				return 0, err
			}
		}
		if err := errors.Join(w.start(), m.drv.launch(x), w.stop(), m.wait(ctx)); err != nil {
			return 0, err
		}
		return w.micros()
	}
	one, err := replay() // uploads the graph, raises the clocks
	if err == nil && one < budget/4 {
		one, err = replay()
	}
	if err != nil {
		return t, err
	}
	runs := mostRuns
	if one > 0 {
		runs = min(mostRuns, max(1, int(budget/one)))
	}
	var took []float64
	for range runs {
		us, err := replay()
		if err != nil {
			return t, err
		}
		took = append(took, us)
	}
	slices.Sort(took)
	t = Timing{Micros: took[runs/2] / float64(rounds), Rounds: rounds, Runs: runs}
	if took[runs/2] > 0 {
		t.Spread = (took[runs*3/4] - took[runs/4]) / 2 / took[runs/2]
	}
	return t, nil
}

// wait waits for the GPU.
func (m *meter) wait(ctx context.Context) error {
	fault, stopped := untilDone(ctx, m.drv)
	return cmp.Or(fault, stopped)
}

// meter returns the device's meter, which it makes at the first call.
func (d *Device) meter() (*meter, error) {
	if d.met == nil {
		m, err := newMeter(d.drv)
		if err != nil {
			return nil, err
		}
		d.met, d.modules = m, append(d.modules, m.module)
	}
	return d.met, nil
}

// measured calls f on a thread that the GPU is bound to, with nothing running. A fault of the
// GPU ends the device; what was given up is waited for by whoever comes next.
func (d *Device) measured(ctx context.Context, f func() error) error {
	err := d.bound(f)
	var e *Error
	if errors.As(err, &e) && e.Code >= codeIllegalAddr && d.dead == nil {
		d.dead = &Fault{GPU: d.drv.gpu().String(), Err: e}
		return d.dead
	}
	d.busy = d.busy || err != nil && ctx.Err() != nil
	return err
}

// chain returns a graph of nodes that run one after the other; early says which may start
// before the one ahead has ended, nil none.
func chain(nodes []node, early func(*node) bool) *graph {
	g := &graph{nodes: nodes}
	for i := 1; i < len(nodes); i++ {
		g.edges = append(g.edges, edge{int32(i - 1), int32(i), early != nil && early(&nodes[i])})
	}
	return g
}

// waits says whether the kernel of a launch waits for the grid ahead of it, so that it may
// start early also where a timed graph puts it behind itself.
func (b *binding) waits(n *node) bool {
	first := b.plan.Launches[n.launch].First
	return b.early && b.plan.Steps[first].Flags&plan.GW != 0
}
