package check

import (
	"context"
	"fmt"
	"slices"

	"dsac/runtime/plan"
)

// Delayer runs whole entries of a plan and can put a wait before one launch.
type Delayer interface {
	Name() string
	IDs() []int32 // of the next run
	Pos() int
	Rewind(pos int) error
	Token() int32 // last one drawn
	RunContext(ctx context.Context, entry, n int) error
	RunDelayed(ctx context.Context, entry, n int, launch int32) error
	// ReadAt and WriteAt copy bytes of a buffer from offset off on, in bytes.
	ReadAt(buf int32, off uint64, dst []byte) error
	WriteAt(buf int32, off uint64, src []byte) error
	FillRegion(region int32, word uint32) error
}

// Stress looks for missing order: it runs an entry again and again from the same state, each
// time with another launch delayed. Where an edge is missing, what should have waited for that
// launch runs ahead of it, and results change.
type Stress struct {
	plan *plan.Plan
	dev  Delayer
	opt  Options
	rep  Report
}

// NewStress prepares runs on dev, which p is loaded on. Of the options, PerKernel (launches
// of a kernel that a run delays) and Progress count.
func NewStress(p *plan.Plan, dev Delayer, opt Options) *Stress {
	return &Stress{p, dev, opt, Report{Device: dev.Name(), Target: p.MetaValue(plan.MetaTarget), Stress: true,
		Ops: []*OpReport{}, Findings: []Finding{}}}
}

// Report is what the runs so far found.
func (s *Stress) Report() *Report { return &s.rep }

// Run executes entry e for ids, which follow what the caches hold: plainly, plainly again, and
// once for each launch. It leaves the device as a plain run does.
func (s *Stress) Run(ctx context.Context, e int, ids []int32) error {
	pos, n := s.dev.Pos(), len(ids)
	r := &stressed{Stress: s, entry: e, ids: ids, pos: pos, at: plan.Point{N: int64(n), Pos: int64(pos), Len: int64(pos + n)}}
	name := s.plan.Str(s.plan.Entries[e].Name)
	if err := r.record(ctx); err != nil {
		return fmt.Errorf("entry %s: %w", name, err)
	}
	launches, steps := r.launches()
	before, done := s.rep.Found, 0
	for i, l := range append([]int32{plan.None}, launches...) {
		if s.opt.Progress != nil {
			s.opt.Progress(i, len(launches)+1, r.label(l))
		}
		if err := r.again(ctx, l); err != nil {
			return fmt.Errorf("entry %s, %s: %w", name, r.label(l), err)
		}
		if l != plan.None {
			done += int(s.plan.Launches[l].Count)
		}
	}
	s.rep.Runs = append(s.rep.Runs, RunReport{Entry: name, Rows: len(ids), Pos: r.pos, Compared: done, Steps: steps})
	if s.rep.Found == before {
		return nil
	}
	return r.run(ctx, plan.None)
}

// launches are those of the entry that are delayed, in plan order; steps counts its steps.
func (r *stressed) launches() (list []int32, steps int) {
	p := r.plan
	seen := map[int32]int{} // per kernel
	for _, st := range p.EntrySteps(&p.Entries[r.entry]) {
		steps++
		l := st.Launch
		if l == plan.None || slices.Contains(list, l) {
			continue
		}
		k := p.Launches[l].Kernel
		if r.opt.PerKernel > 0 && seen[k] >= r.opt.PerKernel {
			continue
		}
		seen[k]++
		list = append(list, l)
	}
	return list, steps
}

// label says for people which run it is.
func (r *stressed) label(launch int32) string {
	if launch == plan.None {
		return "run again without a delay"
	}
	return "with " + r.plan.Str(r.plan.Steps[r.plan.Launches[launch].First].Name) + " delayed"
}
