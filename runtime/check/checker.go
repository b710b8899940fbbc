package check

import (
	"context"
	"fmt"
	"strconv"

	"dsac/runtime/host"
	"dsac/runtime/plan"
	"dsac/runtime/ref"
)

// Options say what is compared and how closely.
type Options struct {
	// Tol gives the error that an op allows: |got-want| <= abs + rel*max|want| of the row.
	Tol func(op string) (abs, rel float64)
	// From is the first step that is compared, by name or by index in the plan; "" = all are.
	From string
	// PerKernel bounds how many steps of each kernel a run compares; 0 = all.
	PerKernel int
	// Forced lets the device go on from its own results, with every choice (lists, tokens)
	// replaced by the host's. Errors then add up, so that steps are not judged one by one:
	// the results of all runs of an entry are, by their normalised mean square error.
	Forced bool
	// Lists, if not nil, are the host's own choices from runs before; see there.
	Lists *Lists
	// Free lets it go on from its own results and choices, which are judged; see free.go.
	Free bool
	// MaxNMSE is what Forced allows.
	MaxNMSE float64
	// Results, if not nil, gets each row of the results of a run with Forced or Free, and the
	// host's; both are valid during the call.
	Results func(pos int, got, want []float32)
	// Progress, if not nil, is called before each step that is compared.
	Progress func(done, total int, step string)
}

// chained says that the device goes on from its own results.
func (o *Options) chained() bool { return o.Forced || o.Free }

// Checker compares a device with the host over runs of entries.
type Checker struct {
	plan  *plan.Plan
	host  *host.Device
	dev   Device
	opt   Options
	ctl   int32
	chain *chain // with Options.Forced or Free
	rep   Report
}

// New prepares a check of dev against h, a host device that p is loaded on.
func New(p *plan.Plan, h *host.Device, dev Device, opt Options) (*Checker, error) {
	c := &Checker{plan: p, host: h, dev: dev, opt: opt, ctl: plan.None}
	for i := range p.Bufs {
		if b := &p.Bufs[i]; b.Role == plan.Control && b.Parent == plan.None {
			c.ctl = int32(i)
		}
	}
	if c.ctl == plan.None {
		return nil, fmt.Errorf("the plan has no control buffer (role=control)")
	}
	if opt.Forced && opt.Free {
		return nil, fmt.Errorf("choices are either forced or free")
	}
	if opt.chained() && (opt.From != "" || opt.PerKernel != 0) {
		return nil, fmt.Errorf("a run that goes on from the device's own results needs every step")
	}
	c.rep = Report{Device: dev.Name(), Target: p.MetaValue(plan.MetaTarget), Free: opt.Free, Findings: []Finding{}, ops: map[string]*OpReport{}}
	return c, nil
}

// Report is what the runs so far found.
func (c *Checker) Report() *Report {
	if c.opt.Forced {
		c.rep.judge(c.opt.MaxNMSE)
	}
	return c.rep.finish()
}

// Run executes entry e on the host for ids, which follow what the caches hold, and its steps
// on the device. Differences are in the report; the error is for a run that cannot be made.
func (c *Checker) Run(ctx context.Context, e int, ids []int32) error {
	r, err := c.start(e, len(ids))
	if err != nil {
		return err
	}
	if len(c.host.IDs()) < len(ids) {
		return fmt.Errorf("%d ids, the plan takes %d", len(ids), len(c.host.IDs()))
	}
	copy(c.host.IDs(), ids)
	if c.opt.chained() {
		if c.chain == nil {
			c.chain = newChain(c.plan, c.opt.Free)
		}
		c.chain.begin(c)
	}
	c.host.Observe(r.before, r.after)
	defer c.host.Observe(nil, nil)
	switch err := c.host.RunContext(ctx, e, len(ids)); {
	case err != nil && r.lost != "":
		return fmt.Errorf("entry %s: %w; the host itself has its first NaN in %s", r.entry, err, r.lost)
	case err != nil:
		return fmt.Errorf("entry %s: %w", r.entry, err)
	}
	c.rep.Runs = append(c.rep.Runs, RunReport{Entry: r.entry, Rows: len(ids), Pos: int(r.at.Pos), Compared: r.done, Steps: r.steps})
	if c.opt.chained() {
		return r.judgeResults()
	}
	return nil
}

// run is one run of an entry.
type run struct {
	*Checker
	entry  string
	at     plan.Point
	chosen map[int32]bool
	steps  int // of the entry
	done   int
	step   *Step        // between before and after: the launch, while it is compared one step of it
	was    [][]byte     // per piece: its bytes before the step
	ofStep map[Kind]int // findings about it
	forced int          // lists replaced by the host's
	lost   string       // where the host's own results have the first NaN

	// With Options.Free:
	exact     map[int32]ref.Arg // by buffer: scores that the reference made of the device's inputs
	unsigned  sizer             // of those made last
	layers    map[string]int    // by op: its steps that have chosen
	differing int               // lists that are not the host's
	sameToken *bool             // the device drew the host's token; nil: it drew none
}

func (c *Checker) start(e, n int) (*run, error) {
	p := c.plan
	if e < 0 || e >= len(p.Entries) {
		return nil, fmt.Errorf("entry %d of a plan with %d", e, len(p.Entries))
	}
	en := &p.Entries[e]
	pos := int64(c.host.Pos())
	r := &run{Checker: c, entry: p.Str(en.Name), at: plan.Point{N: int64(n), Pos: pos, Len: pos + int64(n)}, chosen: map[int32]bool{}, exact: map[int32]ref.Arg{}, layers: map[string]int{}}
	from, err := c.first(en)
	if err != nil {
		return nil, err
	}
	seen := map[int32]int{} // per kernel
	for _, it := range p.EntryItems(en) {
		if it.Kind != plan.DoStep {
			continue
		}
		r.steps++
		if lead, _ := stepsOf(p, it.Index); lead < it.Index {
			if r.chosen[lead] {
				r.chosen[it.Index] = true
			}
			continue
		}
		k := c.kernel(it.Index)
		if it.Index < from || c.opt.PerKernel > 0 && k != plan.None && seen[k] >= c.opt.PerKernel {
			continue
		}
		seen[k]++
		r.chosen[it.Index] = true
	}
	return r, nil
}

// first resolves Options.From in an entry: the first step of that step's launch.
func (c *Checker) first(en *plan.Entry) (int32, error) {
	if c.opt.From == "" {
		return 0, nil
	}
	i, err := c.named(en)
	if err != nil {
		return 0, err
	}
	lead, _ := stepsOf(c.plan, i)
	return lead, nil
}

func (c *Checker) named(en *plan.Entry) (int32, error) {
	p, lo, hi := c.plan, int32(en.Steps.Off), int32(en.Steps.Off+en.Steps.Len)
	for i := lo; i < hi; i++ {
		if p.Str(p.Steps[i].Name) == c.opt.From {
			return i, nil
		}
	}
	if i, err := strconv.ParseInt(c.opt.From, 10, 32); err == nil && int32(i) >= lo && int32(i) < hi {
		return int32(i), nil
	}
	return 0, fmt.Errorf("entry %s has no step %q; its steps are %d to %d, %s to %s", p.Str(en.Name), c.opt.From,
		lo, hi-1, p.Str(p.Steps[lo].Name), p.Str(p.Steps[hi-1].Name))
}

// kernel returns the kernel of a step, or plan.None.
func (c *Checker) kernel(step int32) int32 {
	if l := c.plan.Steps[step].Launch; l != plan.None {
		return c.plan.Launches[l].Kernel
	}
	return plan.None
}

// before takes the inputs of a launch, while they are still there.
func (r *run) before(step int32) error {
	lead, end := stepsOf(r.plan, step)
	if step != lead {
		return nil
	}
	r.step, r.ofStep = nil, map[Kind]int{}
	if !r.chosen[step] {
		return nil
	}
	if r.opt.Progress != nil {
		r.opt.Progress(r.done, len(r.chosen), r.plan.Str(r.plan.Steps[step].Name))
	}
	s, err := layOutLaunch(r.plan, lead, end, r.at, r.ctl)
	if err != nil {
		return err
	}
	from := r.host.BufferAt
	if r.chain != nil {
		from = r.chain.bufferAt
	}
	s.fill(r.plan, from)
	r.was = r.was[:0]
	for i := range s.Pieces {
		r.was = append(r.was, s.Pieces[i].copyNear())
	}
	r.step = s
	return nil
}

// after runs a launch on the device and compares step by step, now that the host has all results.
func (r *run) after(step int32) error {
	if r.opt.Lists != nil {
		if err := r.opt.Lists.settle(r, step); err != nil {
			return err
		}
	}
	lead, end := stepsOf(r.plan, step)
	if r.step == nil || step != end-1 {
		return nil
	}
	found, err := r.dev.Step(r.step)
	if err != nil {
		return fmt.Errorf("on %s: %w", r.dev.Name(), err)
	}
	for _, f := range found {
		r.found(f)
	}
	r.outside()
	launch := r.step
	for i := lead; i < end; i++ {
		r.done++
		r.step = launch.of(r.plan, i)
		if r.chain != nil {
			err = r.chain.take(r)
		} else {
			err = r.compare()
		}
		if err != nil {
			return err
		}
	}
	r.step = nil
	return nil
}
