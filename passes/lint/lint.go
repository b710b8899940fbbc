// Package lint finds the faults of docs/spec/alias-faults.md in a plan: writes that nobody
// reads, reads that no write reaches, bytes that two owners share, missing order, stale state,
// partial sums, and kernels that do not do what the plan says. It reads the plan form only; it
// must not import ir, models or codegen: what a kernel really stores comes in as Options.Summary.
//
// The engine (model, order, spans, walk) knows nothing of fault codes; the rules are the table
// in rules.go, grouped in one file per family. It takes plans that other verifiers refuse: it
// relies on plan.Parse and plan.Decode for indices in range and on nothing else.
package lint

import (
	"runtime"
	"slices"
	"sync"

	"dsac/runtime/plan"
)

// Options choose what is looked at and what counts.
type Options struct {
	Only    []string // codes; empty = all
	Ignore  []Ignore
	All     bool // keep every repetition: no grouping over layers and entries
	Summary func(p *plan.Plan, step int32) (Summary, bool)
	// Table returns what the op table says of an op; ok false = unknown op.
	Table func(op string) (c Contract, ok bool)
}

// Contract is what an op allows of outputs on the bytes of inputs.
type Contract struct {
	Flags plan.StepFlags         // EW and RF, as far as they hold
	Late  func(operand int) bool // the operand shares no byte with any output, whatever the flags
}

// Ignore waives a code at one op.
type Ignore struct {
	Code, Op string
	Reason   string
}

// Run returns the findings of p in a fixed order. Findings that an Ignore covers are kept and
// carry its reason. A clean plan gives none.
func Run(p *plan.Plan, opt Options) []Finding {
	m := newModel(p, &opt)
	var all collector
	for i := range Rules {
		if check := Rules[i].plan; check != nil {
			check(m, &all)
		}
	}
	units := make([]*unit, len(p.Entries))
	for e := range p.Entries {
		units[e] = newUnit(m, int32(e))
	}
	for _, r := range runJobs(units) {
		for _, f := range r.list {
			all.add(f)
		}
	}
	slices.SortFunc(all.list, compare)
	fs := pair(m, all.list)
	fs = waive(choose(fs, opt.Only), opt.Ignore)
	if !opt.All {
		fs = Group(fs)
	}
	return fs
}

// runJobs walks every entry at every point in every world, on all processors, and returns the
// findings in job order, so that the schedule does not show.
func runJobs(units []*unit) []collector {
	type job struct {
		u     *unit
		world int
		point int
	}
	var jobs []job
	for _, u := range units {
		for w := range u.worlds {
			for pt := range u.points {
				jobs = append(jobs, job{u, w, pt})
			}
		}
	}
	out := make([]collector, len(jobs)+len(units))
	marks := make([][]mark, len(jobs))
	var next sync.Mutex
	at := 0
	var wg sync.WaitGroup
	for range min(len(jobs), runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				next.Lock()
				i := at
				at++
				next.Unlock()
				if i >= len(jobs) {
					return
				}
				j := jobs[i]
				marks[i] = j.u.walk(j.world, j.point, &out[len(units)+i])
			}
		}()
	}
	wg.Wait()
	at = 0
	for i, u := range units {
		n := len(u.worlds) * len(u.points)
		u.finish(marks[at:at+n], &out[i])
		at += n
	}
	return out
}

func choose(fs []Finding, only []string) []Finding {
	if len(only) == 0 {
		return fs
	}
	return slices.DeleteFunc(fs, func(f Finding) bool { return !slices.Contains(only, f.Code) })
}

func waive(fs []Finding, ig []Ignore) []Finding {
	for i := range fs {
		for _, g := range ig {
			if g.covers(&fs[i]) {
				fs[i].Ignored = g.Reason
			}
		}
	}
	return fs
}
