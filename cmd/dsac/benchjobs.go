package main

import (
	"encoding/hex"
	"fmt"
	"strings"

	"dsac/passes"
	"dsac/passes/cost"
	"dsac/runtime/cuda"
	"dsac/runtime/plan"
)

// benchJob is a row of bench kernels before it is measured.
type benchJob struct {
	row benchRow
	job cuda.Job
}

// jobsOf lists what is timed of a plan: each entry of a plan of cases, each launch of another
// plan that differs from those before it in kernel or shape.
func jobsOf(p *plan.Plan, only string, depth int) []benchJob {
	var jobs []benchJob
	seen := make(map[string]bool)
	for i := range p.Entries {
		e := &p.Entries[i]
		steps := p.EntrySteps(e)
		if len(steps) == 0 || e.Rows == 0 {
			continue
		}
		if length, ok := p.IntAttr(steps[0].Attrs, passes.CaseLen); ok && p.MetaValue(plan.MetaArch) == passes.CasesArch {
			n := len(jobs)
			add(p, &jobs, only, p.Str(e.Name), e, steps[0].Launch, steps[len(steps)-1].Launch, int(length))
			for j := range jobs[n:] {
				jobs[n+j].job.Draw = drawOf(p, &steps[0])
			}
			continue
		}
		for s := range steps {
			l := steps[s].Launch
			if l == plan.None || s > 0 && steps[s-1].Launch == l {
				continue
			}
			if key := shapeKey(p, l); !seen[key] {
				seen[key] = true
				add(p, &jobs, only, p.Str(e.Name)+"/"+p.Str(steps[s].Name)+"/"+p.Str(steps[s].Op), e, l, l, min(depth, p.MetaInt(plan.MetaCtx)))
			}
		}
	}
	return jobs
}

// drawOf returns the sampler's parameters of a case, nil where it has none.
func drawOf(p *plan.Plan, st *plan.Step) []byte {
	text, _ := p.TextAttr(st.Attrs, passes.CaseDraw)
	params, err := hex.DecodeString(text)
	if err != nil || len(params) != plan.SmpSize {
		return nil
	}
	return params
}

// add appends the job of launches first to last.
func add(p *plan.Plan, jobs *[]benchJob, only, name string, e *plan.Entry, first, last int32, length int) {
	if !strings.Contains(name, only) || first == plan.None || last < first {
		return
	}
	n := int(e.Rows)
	length = max(length, n)
	at := plan.Point{N: int64(n), Pos: int64(length - n), Len: int64(length)}
	var w cost.Work
	var ops []string
	for l := first; l <= last; l++ {
		for s := p.Launches[l].First; s < p.Launches[l].First+p.Launches[l].Count; s++ {
			w = w.Add(cost.Of(p, s, at))
			ops = append(ops, p.Str(p.Steps[s].Op))
		}
	}
	row := benchRow{Name: name, What: joined(ops), Depth: length - n, Tokens: n, Launches: int(last - first + 1)}
	row.count(w)
	*jobs = append(*jobs, benchJob{row, cuda.Job{First: first, Count: last - first + 1, N: n, Len: length, Cold: w.Floor()}})
}

// shapeKey tells launches apart that may differ in time.
func shapeKey(p *plan.Plan, l int32) string {
	la := &p.Launches[l]
	key := fmt.Sprint(la.Kernel, la.Grid, la.Block, la.Shared)
	for s := la.First; s < la.First+la.Count; s++ {
		for _, o := range p.Ops(&p.Steps[s]) {
			b := &p.Bufs[o.Buf]
			key += fmt.Sprint(" ", p.Str(b.DType), b.Shape[:b.Dims])
		}
	}
	return key
}
