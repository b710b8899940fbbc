package ptx

import (
	"fmt"
	"slices"
)

// access is one memory instruction, with where it goes.
type access struct {
	in     *Instr
	block  int
	index  int // in Flow.Code
	bytes  int64
	form   linear // of the offset
	base   *symbol
	store  bool
	atomic bool
	extra  []fact // of the guard
}

// Analyze traces every global access of the entry to the parameter it goes through, and bounds
// it for one launch. Registers hold linear forms over thread numbers, block numbers and loop
// counters; branches, guards, min, max and masks narrow what is loaded from memory. Whatever
// cannot be told is reported as unknown, never guessed. Parameters are taken to be aligned to 16
// bytes, and no access to be further than 2^62 bytes away.
func Analyze(e *Entry, launch Launch) (*Summary, error) {
	return AnalyzeAssuming(e, launch, nil)
}

// Assume says that Bytes bytes at offset Off of parameter Param hold a number from Lo to Hi for
// the whole launch: a counter in the control buffer. Values are as loaded: unsigned, or signed
// where the load is.
type Assume struct {
	Param  int
	Off    int64
	Bytes  int
	Lo, Hi int64
}

// AnalyzeAssuming is Analyze for launches in which the assumptions hold. It is an error to
// assume something of a parameter that the entry stores to.
func AnalyzeAssuming(e *Entry, launch Launch, assume []Assume) (*Summary, error) {
	f, err := e.Flow()
	if err != nil {
		return nil, err
	}
	for i := range 3 {
		if launch.Grid[i] == 0 || launch.Block[i] == 0 {
			return nil, fmt.Errorf("%s: launch of grid %v, block %v is empty", e.Name, launch.Grid, launch.Block)
		}
	}
	return analyze(e, f, launch, launch.All(), assume)
}

func analyze(e *Entry, f *Flow, launch Launch, w Window, assume []Assume) (*Summary, error) {
	a := newAnalyzer(e, f, launch, w, assume)
	layout := e.SharedLayout(launch.DynShared)
	sum := &Summary{Params: make([]ParamSummary, len(e.Params)), StaticSmem: layout.Static, SharedTotal: layout.Total, Exit: a.unwaitedExit()}
	byParam := make([][]access, len(e.Params))
	for _, b := range f.Order {
		for i := f.Blocks[b].First; i < f.Blocks[b].End; i++ {
			in := f.Code[i]
			sum.Instrs[in.Spec.Row.Class]++
			if in.Spec.Row.Effect == Barrier {
				sum.Barriers++
			}
			for _, x := range a.accesses(in, i, b) {
				if p := sum.add(a, &x); p >= 0 {
					byParam[p] = append(byParam[p], x)
				}
			}
		}
	}
	for i := range sum.Params {
		sum.Params[i].finish(a, byParam[i])
	}
	for _, as := range assume {
		if as.Param < 0 || as.Param >= len(e.Params) {
			return nil, fmt.Errorf("%s: an assumption is about parameter %d of %d", e.Name, as.Param, len(e.Params))
		}
		if m := sum.Params[as.Param].Mode; m == "w" || m == "rw" || m == "acc" || len(sum.Unknown) > 0 {
			return nil, fmt.Errorf("%s: an assumption is about parameter %d, which the entry may store to (mode %s)", e.Name, as.Param, m)
		}
	}
	slices.Sort(sum.ModuleRead)
	sum.ModuleRead = slices.Compact(sum.ModuleRead)
	slices.Sort(sum.GlobalStore)
	sum.GlobalStore = slices.Compact(sum.GlobalStore)
	return sum, nil
}

// accesses lists the global accesses of one instruction: cp.async makes one, its source.
func (a *analyzer) accesses(in *Instr, i, b int) []access {
	var extra []fact
	if in.Guard >= 0 {
		extra = a.predicate(a.s.guards[i], !in.GuardNot, b)
	}
	x := access{in: in, block: b, index: i, extra: extra}
	src, op := 0, 0
	switch in.Spec.Row.Effect {
	case Load:
		op = 1
	case Store:
		x.store = true
	case Atomic, Reduce:
		x.store, x.atomic = true, true
		if in.Spec.Row.Effect == Atomic {
			op = 1
		}
	case Copy:
		src, op = 1, 1
		x.bytes = in.Args[2].Int
	default:
		return nil
	}
	switch in.Spec.Space {
	case Shared:
		if in.Spec.Row.Effect != Copy {
			return nil
		}
	case Local, ParamSpace, Const:
		return nil
	}
	if x.bytes == 0 {
		x.bytes = int64(in.Spec.Types[0].Bytes() * in.Spec.Vec())
	}
	l := a.lin(a.s.args[i][src], b)
	base, rest, ok := l.base()
	if base != nil && base.kind == symSpace {
		return nil // a generic address of shared or local memory
	}
	if !ok {
		base = nil
	}
	x.base = base
	x.form = rest.plus(constant(in.Args[op].Int), 1)
	return []access{x}
}
