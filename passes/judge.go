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
	index := make(map[plan.Span]int)
	var firsts []int // by module: the first of its kernels
	for i := range p.Kernels {
		if _, ok := index[p.Kernels[i].PTX]; !ok {
			index[p.Kernels[i].PTX] = len(firsts)
			firsts = append(firsts, i)
		}
	}
	modules := make([]*ptx.Module, len(firsts))
	errs := make([]error, len(firsts))
	parallel(len(firsts), func(i int) { modules[i], errs[i] = parsed(p, &p.Kernels[firsts[i]]) })
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", p.Str(p.Kernels[firsts[i]].Name), err)
		}
	}
	j := &Judge{seen: make(map[judged]verdict)}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		e := modules[index[k.PTX]].Entry(p.Str(k.Name))
		if e == nil {
			return nil, fmt.Errorf("kernel %s is not in its own PTX", p.Str(k.Name))
		}
		j.entries = append(j.entries, e)
	}
	return j, nil
}

// parsed returns the module of a kernel, which holds others too, when the target allows it.
func parsed(p *plan.Plan, k *plan.Kernel) (*ptx.Module, error) {
	m, err := ptx.Parse(string(p.Bytes(k.PTX)))
	if err != nil {
		return nil, err
	}
	if errs := m.Check(targetOf(p)); len(errs) > 0 {
		return nil, errs[0]
	}
	return m, nil
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

// keyOf is what the verdict on a launch depends on.
func keyOf(p *plan.Plan, l *plan.Launch) judged {
	return judged{l.Kernel, ptx.Launch{Grid: l.Grid, Block: l.Block, DynShared: int(l.Shared)}, int64(p.Entries[l.Entry].Rows)}
}

// look returns the verdict on a launch; launches of one shape share it.
func (j *Judge) look(p *plan.Plan, l *plan.Launch) verdict {
	key := keyOf(p, l)
	v, ok := j.seen[key]
	if !ok {
		v = j.analyse(p, key)
		j.seen[key] = v
	}
	return v
}

// analyse makes a verdict. It changes nothing.
func (j *Judge) analyse(p *plan.Plan, key judged) (v verdict) {
	e := j.entries[key.kernel]
	if errs := e.CheckLaunch(key.launch, targetOf(p)); len(errs) > 0 {
		v.err = errs[0]
	} else {
		v.sum, v.err = ptx.AnalyzeAssuming(e, key.launch, liveRows(e, 0, key.rows))
		if v.err != nil { // the kernel may change the count
			v.sum, v.err = ptx.Analyze(e, key.launch)
		}
		if v.err == nil && len(v.sum.Index32) > 0 {
			v.err = fmt.Errorf("an address may pass 2^31 in 32-bit arithmetic: %s", v.sum.Index32[0])
		}
	}
	if v.err != nil {
		v.err = fmt.Errorf("kernel %s: %w", p.Str(p.Kernels[key.kernel].Name), v.err)
		return v
	}
	if full, err := ptx.AnalyzeAssuming(e, key.launch, liveRows(e, key.rows, key.rows)); err == nil {
		v.full = full
	}
	return v
}

// liveRows assumes that the count of live rows in the control buffer is from lo to hi: a run
// never has more than its entry has rows.
func liveRows(e *ptx.Entry, lo, hi int64) (as []ptx.Assume) {
	for _, bytes := range []int{4, 8} { // kernels load it as 32 or 64 bits
		as = append(as, ptx.Assume{Param: len(e.Params) - 1, Off: plan.CtlN, Bytes: bytes, Lo: lo, Hi: hi})
	}
	return as
}

// Limits reports the first launch that no device of the target can make, or whose kernel
// cannot be analysed.
func (j *Judge) Limits(p *plan.Plan) error {
	var keys []judged
	known := make(map[judged]bool)
	for i := range p.Launches {
		l := &p.Launches[i]
		if key := keyOf(p, l); l.Kernel != plan.None && !known[key] {
			known[key] = true
			keys = append(keys, key)
		}
	}
	verdicts := make([]verdict, len(keys))
	parallel(len(keys), func(i int) { verdicts[i] = j.analyse(p, keys[i]) })
	for i, v := range verdicts {
		if v.err != nil {
			return v.err
		}
		j.seen[keys[i]] = v
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
		q := lint.Param{Mode: lint.Mode(ps.Mode), End: -1, Cov: -1, Vec: int64(ps.Vec), Early: ps.Early}
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
	out.Early, out.Exit = sum.Early, sum.Exit
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
