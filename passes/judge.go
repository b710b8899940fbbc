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
	window ptx.Window // of the step, when its launch has several
	rows   int64      // T of the entry
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
	return j, j.parse(p)
}

func (j *Judge) parse(p *plan.Plan) error {
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
			return fmt.Errorf("kernel %s: %w", p.Str(p.Kernels[firsts[i]].Name), err)
		}
	}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		e := modules[index[k.PTX]].Entry(p.Str(k.Name))
		if e == nil {
			return fmt.Errorf("kernel %s is not in its own PTX", p.Str(k.Name))
		}
		j.entries = append(j.entries, e)
	}
	return nil
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

// keyOf is what the verdict on a step depends on.
func keyOf(p *plan.Plan, step int32) judged {
	l := &p.Launches[p.Steps[step].Launch]
	k := judged{kernel: l.Kernel, launch: ptx.Launch{Grid: l.Grid, Block: l.Block, DynShared: int(l.Shared)}, rows: int64(p.Entries[l.Entry].Rows)}
	if l.Count > 1 {
		s := p.Share(step)
		k.window = ptx.Window{Blocks: [2]uint32{uint32(s.Lo), uint32(s.Hi)}, Threads: [2]uint32{0, uint32(s.Threads)}}
	}
	return k
}

// look returns the verdict on a key.
func (j *Judge) look(p *plan.Plan, key judged) verdict {
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
		v.sum, v.err = key.analyse(e, liveRows(e, 0, key.rows))
		if v.err != nil { // the kernel may change the count
			v.sum, v.err = key.analyse(e, nil)
		}
		if v.err == nil && len(v.sum.Index32) > 0 {
			v.err = fmt.Errorf("%s: an address may pass 2^31 in 32-bit arithmetic: %s", e.Name, v.sum.Index32[0])
		}
	}
	if v.err != nil {
		v.err = fmt.Errorf("kernel %w", v.err) // which names it
		return v
	}
	if full, err := key.analyse(e, liveRows(e, key.rows, key.rows)); err == nil {
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

func (k *judged) analyse(e *ptx.Entry, assume []ptx.Assume) (*ptx.Summary, error) {
	if k.window == (ptx.Window{}) {
		return ptx.AnalyzeAssuming(e, k.launch, assume)
	}
	return ptx.AnalyzeWindow(e, k.launch, k.window, assume)
}

// Limits reports the first launch that no device of the target can make, or whose kernel
// cannot be analysed.
func (j *Judge) Limits(p *plan.Plan) error {
	keys := keysOf(p)
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

// keysOf lists what the verdicts on all steps depend on, each once.
func keysOf(p *plan.Plan) (keys []judged) {
	known := make(map[judged]bool)
	for i := range p.Steps {
		at := p.Steps[i].Launch
		if at == plan.None || p.Launches[at].Kernel == plan.None {
			continue
		}
		key := keyOf(p, int32(i))
		if known[key] {
			continue
		}
		known[key] = true
		keys = append(keys, key)
		if rest, some := key.rest(); some && !known[rest] {
			known[rest] = true
			keys = append(keys, rest)
		}
	}
	return keys
}

// Summary is what the kernel of a step does; see lint.Options.
func (j *Judge) Summary(p *plan.Plan, step int32) (lint.Summary, bool) {
	var out lint.Summary
	st := &p.Steps[step]
	if st.Launch == plan.None || p.Launches[st.Launch].Kernel == plan.None {
		return out, false
	}
	key := keyOf(p, step)
	v := j.look(p, key)
	if v.err != nil {
		return out, false
	}
	sum, own := v.sum, func(all []ptx.ParamSummary) []ptx.ParamSummary { return all }
	if p.Launches[st.Launch].Count > 1 {
		s := sharing(p, step)
		if own = s.own; !s.keeps(sum.Params) || !j.idle(p, key, &s) {
			return lint.Summary{Unknown: true}, true
		}
		out.Unordered = !s.apart(own(sum.Params))
	}
	n := len(p.Ops(st))
	for i := range n {
		out.Args = append(out.Args, int32(i))
	}
	out.Args = append(out.Args, -1)
	for i, ps := range own(sum.Params) {
		q := lint.Param{Mode: lint.Mode(ps.Mode), End: -1, Cov: -1, Vec: int64(ps.Vec), Early: ps.Early}
		switch {
		case ps.Stores.Known:
			q.End = ps.Stores.Hi
		case ps.Mode == "w" || ps.Mode == "rw" || ps.Mode == "acc":
			out.Unknown = true
		}
		if i < n && v.full != nil {
			q.Cov = j.covered(p, st, i, &own(v.full.Params)[i])
		}
		out.Params = append(out.Params, q)
	}
	out.Unknown = out.Unknown || len(sum.Unknown) > 0
	out.Early, out.Exit = sum.Early, sum.Exit
	if rest, some := key.rest(); some && out.Exit == "" {
		out.Exit = j.look(p, rest).sum.Exit // threads without work wait as well
	}
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
