package passes

import (
	"fmt"

	"dsac/codegen/ptx"
	"dsac/passes/lint"
	"dsac/runtime/plan"
)

// Judge reads the kernels of a plan from their text, whoever emitted it, and says what each
// launch does through each parameter (docs/spec/alias-faults.md, section 8).
type Judge struct {
	entries []*ptx.Entry // by kernel
	seen    map[judged]verdict
}

type judged struct {
	kernel int32
	launch ptx.Launch
	rows   int64 // T of the entry
}

// verdict is what a kernel may touch in any step, and what it certainly stores in a step with
// all rows live.
type verdict struct {
	sum  *ptx.Summary
	full *ptx.Summary // nil when the kernel writes to the control buffer
	err  error
}

// NewJudge parses the kernels of p. A plan without kernels needs no judge: nil.
func NewJudge(p *plan.Plan) (*Judge, error) {
	if len(p.Kernels) == 0 {
		return nil, nil
	}
	j := &Judge{seen: make(map[judged]verdict)}
	modules := make(map[plan.Span]*ptx.Module)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		m := modules[k.PTX]
		if m == nil {
			var err error
			if m, err = ptx.Parse(string(p.Bytes(k.PTX))); err != nil {
				return nil, fmt.Errorf("kernel %s: %w", p.Str(k.Name), err)
			}
			if errs := m.Check(targetOf(p)); len(errs) > 0 {
				return nil, fmt.Errorf("kernel %s: %w", p.Str(k.Name), errs[0])
			}
			modules[k.PTX] = m
		}
		e := m.Entry(p.Str(k.Name))
		if e == nil {
			return nil, fmt.Errorf("kernel %s is not in its own PTX", p.Str(k.Name))
		}
		j.entries = append(j.entries, e)
	}
	return j, nil
}

// targetOf returns the PTX checker's row for the plan's target; one that it does not know
// allows nothing.
func targetOf(p *plan.Plan) ptx.Target {
	name := p.MetaValue(plan.MetaTarget)
	t, err := ptx.TargetNamed(name)
	if err != nil {
		return ptx.Target{Name: name}
	}
	return t
}

// look analyses the kernel of a launch, once per launch shape.
func (j *Judge) look(p *plan.Plan, l *plan.Launch) verdict {
	key := judged{l.Kernel, ptx.Launch{Grid: l.Grid, Block: l.Block, DynShared: int(l.Shared)}, int64(p.Entries[l.Entry].Rows)}
	v, ok := j.seen[key]
	if !ok {
		e := j.entries[l.Kernel]
		if errs := e.CheckLaunch(key.launch, targetOf(p)); len(errs) > 0 {
			v.err = errs[0]
		} else {
			v.sum, v.err = ptx.Analyze(e, key.launch)
			if v.err == nil && len(v.sum.Index32) > 0 {
				v.err = fmt.Errorf("an address may pass 2^31 in 32-bit arithmetic: %s", v.sum.Index32[0])
			}
		}
		if v.err == nil {
			var n []ptx.Assume // kernels load the count as 32 or 64 bits
			for _, bytes := range []int{4, 8} {
				n = append(n, ptx.Assume{Param: len(e.Params) - 1, Off: plan.CtlN, Bytes: bytes, Lo: key.rows, Hi: key.rows})
			}
			if full, err := ptx.AnalyzeAssuming(e, key.launch, n); err == nil {
				v.full = full
			}
		}
		if v.err != nil {
			v.err = fmt.Errorf("kernel %s: %w", p.Str(p.Kernels[l.Kernel].Name), v.err)
		}
		j.seen[key] = v
	}
	return v
}

// Limits reports the first launch that no device of the target can make, or whose kernel
// cannot be analysed.
func (j *Judge) Limits(p *plan.Plan) error {
	for i := range p.Launches {
		if p.Launches[i].Kernel == plan.None {
			continue
		}
		if err := j.look(p, &p.Launches[i]).err; err != nil {
			return err
		}
	}
	return nil
}

// Summary is what the kernel of a step does; see lint.Options.
func (j *Judge) Summary(p *plan.Plan, step int32) (lint.Summary, bool) {
	var out lint.Summary
	st := &p.Steps[step]
	if st.Launch == plan.None || p.Launches[st.Launch].Kernel == plan.None || p.Launches[st.Launch].Count != 1 {
		return out, false
	}
	v := j.look(p, &p.Launches[st.Launch])
	if v.err != nil {
		return out, false
	}
	sum := v.sum
	for i := range p.Ops(st) {
		out.Args = append(out.Args, int32(i))
	}
	out.Args = append(out.Args, -1)
	for i, ps := range sum.Params {
		q := lint.Param{Mode: lint.Mode(ps.Mode), End: -1, Cov: -1, Vec: int64(ps.Vec)}
		switch {
		case ps.Stores.Known:
			q.End = ps.Stores.Hi
		case ps.Mode == "w" || ps.Mode == "rw" || ps.Mode == "acc":
			out.Unknown = true
		}
		if i < len(p.Ops(st)) && v.full != nil {
			q.Cov = j.covered(p, st, i, &v.full.Params[i])
		}
		out.Params = append(out.Params, q)
	}
	out.Unknown = out.Unknown || len(sum.Unknown) > 0
	if len(sum.GlobalStore) > 0 {
		out.Global = sum.GlobalStore[0]
	}
	return out, true
}

// covered returns how many bytes from the buffer's start count as certainly stored through
// operand i in a step with all rows live: to the end of the declared range when all of it is,
// -1 when the stores depend on data (then the emulator decides) or none is owed.
func (j *Judge) covered(p *plan.Plan, st *plan.Step, i int, ps *ptx.ParamSummary) int64 {
	o := &p.Ops(st)[i]
	if o.Effect != plan.W || !ps.Exact || o.Lo.Sym == plan.SymPos || o.Lo.Sym == plan.SymLen {
		return -1
	}
	rows := int64(p.Entries[p.Launches[st.Launch].Entry].Rows)
	lo, hi := p.Range(o, plan.Point{N: rows, Len: rows})
	for _, s := range ps.Cover {
		if s.Lo <= lo && hi <= s.Hi {
			return hi
		}
	}
	return ps.Prefix()
}
