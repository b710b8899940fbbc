package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"dsac/runtime/plan"
)

// Timer times launches of a plan with made-up data: no weights are loaded, no step follows
// another. Operands that a model would find in memory lie in as many copies as it takes for
// none to be met in the L2.
type Timer struct {
	d     Device // its kernels only: it has no regions and no entries
	m     *meter
	fill  *filler
	ctlAt uint64
}

// Job is what a Timer times: the launches of one entry from First to First+Count, in order.
type Job struct {
	First, Count int32
	N, Len       int     // live rows of the step, rows in the caches with them
	Cold         float64 // bytes that one round must read from memory
	Draw         []byte  // the sampler's parameters, where a token is drawn
}

// OpenTimer loads the kernels of a plan.
func OpenTimer(p *plan.Plan, opt Options) (*Timer, error) {
	drv, err := openDriver(opt.GPU)
	if err != nil {
		return nil, err
	}
	return newTimer(drv, p, opt)
}

func newTimer(drv driver, p *plan.Plan, opt Options) (*Timer, error) {
	t := &Timer{d: Device{binding: binding{plan: p, arch: drv.gpu().Arch(), early: drv.early()}, opt: opt, drv: drv}}
	if err := drv.bind(); err != nil {
		return nil, errors.Join(err, drv.close())
	}
	err := t.setUp()
	drv.unbind()
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Timer) setUp() error {
	if err := checkTarget(t.d.plan.MetaValue(plan.MetaTarget), t.d.drv.gpu()); err != nil {
		return err
	}
	if err := t.d.loadKernels(); err != nil {
		return err
	}
	var err error
	if t.m, err = t.d.meter(); err != nil {
		return err
	}
	t.fill = newFiller(t.m)
	if t.ctlAt, err = t.d.drv.alloc(plan.CtlSize); err == nil {
		t.d.bases = append(t.d.bases, t.ctlAt) // which Close frees
	}
	return err
}

// GPU describes the GPU.
func (t *Timer) GPU() GPU { return t.d.GPU() }

// Close frees everything.
func (t *Timer) Close() error {
	if t.fill != nil {
		t.d.bases = append(t.d.bases, t.fill.held()...)
		t.fill = nil
	}
	return t.d.Close()
}

// Rates measures the device.
func (t *Timer) Rates(ctx context.Context) (r Rates, err error) {
	err = t.d.measured(ctx, func() error { r, err = t.m.rates(ctx); return err })
	return r, err
}

// Least and most rounds in the graph of a job.
const (
	leastRounds = 50
	mostRounds  = 250
)

// Time times a job. The graph holds as many rounds as fill the L2 several times over with what
// they read, 50 at least.
func (t *Timer) Time(ctx context.Context, j Job) (Timing, error) {
	var took Timing
	err := t.d.measured(ctx, func() (err error) {
		rounds := leastRounds
		if j.Cold > 1<<20 {
			rounds = max(rounds, min(mostRounds, int(coldFactor*float64(t.l2())/j.Cold)))
		}
		s, err := t.stageFor(j, rounds)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.d.drv.release(s.at)) }()
		if err := s.fill(ctx); err != nil {
			return err
		}
		var nodes []node
		for r := range rounds {
			for l := j.First; l < j.First+j.Count; l++ {
				n, err := t.nodeIn(s, l, r)
				if err != nil {
					return err
				}
				nodes = append(nodes, n)
			}
		}
		took, err = t.m.time(ctx, chain(nodes, t.d.waits), rounds, nil)
		return err
	})
	return took, err
}

// coldFactor is how many times the L2's size the rounds of a graph read, and the copies of an
// operand take.
const coldFactor = 4

// l2 returns the size of the L2 in bytes; drivers that do not tell get a large one.
func (t *Timer) l2() uint64 {
	if n := t.d.drv.gpu().L2; n > 0 {
		return n
	}
	return 128 << 20
}

// nodeIn makes the node of a launch with the addresses of a round.
func (t *Timer) nodeIn(s *stageArea, launch int32, round int) (node, error) {
	l := &t.d.plan.Launches[launch]
	if l.Kernel == plan.None {
		return node{}, fmt.Errorf("it has no kernel: compile the plan with --target %s", t.d.arch)
	}
	n := node{kind: kernelNode, launch: launch, fn: t.d.fns[l.Kernel], grid: l.Grid, block: l.Block, shared: l.Shared}
	for st := l.First; st < l.First+l.Count; st++ {
		for _, o := range t.d.plan.Ops(&t.d.plan.Steps[st]) {
			n.params = append(n.params, s.address(o.Buf, round))
		}
	}
	n.params = append(n.params, t.ctlAt)
	return n, t.d.drv.allowShared(n.fn, n.shared)
}

// setPoint writes the control block of a job.
func (t *Timer) setPoint(j Job) error {
	var b [plan.CtlSize]byte
	le := binary.LittleEndian
	le.PutUint64(b[plan.CtlPos:], uint64(j.Len-j.N))
	le.PutUint64(b[plan.CtlN:], uint64(j.N))
	le.PutUint64(b[plan.CtlLen:], uint64(j.Len))
	le.PutUint32(b[plan.CtlAccepted:], uint32(j.N))
	return t.d.drv.write(t.ctlAt, b[:])
}
