package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dsac/passes/cost"
	"dsac/runtime/cuda"
	"dsac/runtime/plan"
)

// opKind is the launches of an entry that run the same ops.
type opKind struct {
	name     string // ops of a launch, joined
	launches []int32
	steps    []int32
	work     cost.Work
}

// kindsOf sorts the launches of an entry by what they do.
func kindsOf(p *plan.Plan, entry int, at plan.Point) []*opKind {
	var kinds []*opKind
	index := make(map[string]*opKind)
	e := &p.Entries[entry]
	steps := p.EntrySteps(e)
	for i := 0; i < len(steps); {
		l, first := steps[i].Launch, i
		var names []string
		var w cost.Work
		var list []int32
		for ; i < len(steps) && (i == first || l != plan.None && steps[i].Launch == l); i++ {
			s := int32(e.Steps.Off) + int32(i)
			names = append(names, p.Str(steps[i].Op))
			w = w.Add(cost.Of(p, s, at))
			list = append(list, s)
		}
		name := strings.Clone(joined(names))
		k := index[name]
		if k == nil {
			k = &opKind{name: name}
			index[name] = k
			kinds = append(kinds, k)
		}
		k.launches, k.steps, k.work = append(k.launches, l), append(k.steps, list...), k.work.Add(w)
	}
	return kinds
}

// joined writes the ops of a launch, repeated ones once: matmul x3+rmsnorm.
func joined(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		n := 1
		for i+n < len(names) && names[i+n] == names[i] {
			n++
		}
		if parts = append(parts, names[i]); n > 1 {
			parts[len(parts)-1] += fmt.Sprintf(" x%d", n)
		}
		i += n
	}
	return strings.Join(parts, "+")
}

// byKind measures where the time of an entry goes, at depth d.
func (b *modelBench) byKind(of string, entry, n, d int) error {
	if !b.flags.kinds {
		return nil
	}
	kinds := kindsOf(b.plan, entry, plan.Point{N: int64(n), Pos: int64(d), Len: int64(d + n)})
	rows := make([]benchRow, len(kinds))
	for i, k := range kinds {
		rows[i] = benchRow{Name: of + "/" + k.name, What: k.name, Depth: d, Tokens: n, Launches: len(k.launches)}
		rows[i].count(k.work)
	}
	if err := b.dev.Rewind(d); err != nil {
		return err
	}
	var err error
	if g := b.gpu(); g != nil {
		err = b.kindsOfGPU(g, entry, n, kinds, rows)
	} else {
		err = b.kindsOfHost(entry, n, kinds, rows)
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(x, y benchRow) int { return cmp.Compare(y.Micros, x.Micros) })
	var sum float64
	for i := range rows {
		sum += rows[i].Micros
		b.add(&rows[i])
	}
	fmt.Fprintf(b.out, "    %-30s %10.1f us\n", "sum of the kinds", sum)
	return b.dev.Rewind(d)
}

func (b *modelBench) kindsOfGPU(g *cuda.Device, entry, n int, kinds []*opKind, rows []benchRow) error {
	for i, k := range kinds {
		t, err := g.TimeLaunches(b.ctx, entry, n, k.launches)
		if err != nil {
			return fmt.Errorf("%s: %w", rows[i].Name, err)
		}
		rows[i].Micros, rows[i].Spread, rows[i].Runs = t.Micros, t.Spread, t.Runs
	}
	return nil
}

// kindsOfHost times every step of one run.
func (b *modelBench) kindsOfHost(entry, n int, kinds []*opKind, rows []benchRow) error {
	row := make(map[int32]*benchRow)
	for i, k := range kinds {
		for _, s := range k.steps {
			row[s] = &rows[i]
		}
		rows[i].Runs = 1
	}
	var start time.Time
	b.dev.Observe(
		func(int32) error { start = time.Now(); return nil },
		func(s int32) error {
			if r := row[s]; r != nil {
				r.Micros += float64(time.Since(start).Nanoseconds()) / 1000
			}
			return nil
		})
	defer b.dev.Observe(nil, nil)
	return b.dev.RunContext(b.ctx, entry, n)
}

func printModelHead(out io.Writer, run *benchRun) {
	fmt.Fprintf(out, "%s, plan for %s", run.Device, run.Target)
	if run.Rates.Copy > 0 {
		fmt.Fprintf(out, ": copy %.0f GB/s, mma.sync f16 %.0f TFLOP/s", run.Rates.Copy/1e9, run.Rates.MMA/1e12)
	}
	fmt.Fprintln(out)
}

// printModelRow prints a rate, or a kind below it.
func printModelRow(out io.Writer, run *benchRun, r *benchRow, before *benchRun) {
	floor := ""
	if run.Rates.Copy > 0 {
		floor = fmt.Sprintf("  %8.2f MB, %5.1f%% of copy, %7.1f TFLOP/s", r.Bytes/1e6, 100*r.ofCopy(run.Rates), r.tflops())
	}
	if r.Rate == 0 {
		fmt.Fprintf(out, "    %-30s %10.1f us %5.1f%%  %4d launches%s%s\n", r.What, r.Micros, 100*r.Spread, r.Launches, floor, before.change(r))
		return
	}
	fmt.Fprintf(out, "%-8s depth %7d  %5d tokens  %10.1f us %5.1f%%  %10.1f tok/s%s  attention %s%s\n",
		r.What, r.Depth, r.Tokens, r.Micros, 100*r.Spread, r.Rate, floor, r.Attention, before.change(r))
}
