package ptx

import (
	"fmt"
	"slices"
)

// Extent is a half-open byte range [Lo, Hi) that accesses certainly stay in, relative to a
// parameter. Without Known nothing is known.
type Extent struct {
	Lo, Hi int64
	Known  bool
}

func (x Extent) join(lo, hi int64, first bool) Extent {
	if lo <= -infinity || hi >= infinity {
		return Extent{}
	}
	if first {
		return Extent{lo, hi, true}
	}
	if !x.Known {
		return x
	}
	return Extent{min(x.Lo, lo), max(x.Hi, hi), true}
}

// Span is a half-open byte range.
type Span struct{ Lo, Hi int64 }

// ParamSummary is what an entry does through one parameter.
type ParamSummary struct {
	Mode    string // r, nc, w, rw, acc or - (spec alias-faults.md section 1)
	Loads   Extent
	Stores  Extent // of stores and atomics
	Vec     int    // widest access in bytes; 0: none
	Align   int    // power of two that divides the offsets of accesses of that width
	Cover   []Span // bytes certainly stored, disjoint and ascending
	Exact   bool   // Cover is decided for every store; without it, there may be more
	NC      bool   // some load is non-coherent
	Atomics bool
}

// Summary is what an entry does for one launch shape.
type Summary struct {
	Params      []ParamSummary
	Unknown     []string // stores and atomics whose base cannot be traced
	LostLoads   []string // loads whose base cannot be traced
	GlobalStore []string // names of .global variables that are stored to
	ModuleRead  []string // names of .global and .const variables that are read
	Index32     []string // accesses whose address may have passed 2^31 in 32-bit arithmetic
	Misaligned  []string // accesses whose offset need not be a multiple of their width
	StaticSmem  int      // bytes
	SharedTotal int      // bytes, dynamic memory included
	Barriers    int      // barrier instructions
	WaitsFirst  bool     // griddepcontrol.wait comes before every global access, on every path
	Instrs      [NumClasses]int
}

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
// cannot be told is reported as unknown, never guessed.
func Analyze(e *Entry, launch Launch) (*Summary, error) {
	f, err := e.Flow()
	if err != nil {
		return nil, err
	}
	for i := range 3 {
		if launch.Grid[i] == 0 || launch.Block[i] == 0 {
			return nil, fmt.Errorf("%s: launch of grid %v, block %v is empty", e.Name, launch.Grid, launch.Block)
		}
	}
	a := newAnalyzer(e, f, launch)
	layout := e.SharedLayout(launch.DynShared)
	sum := &Summary{Params: make([]ParamSummary, len(e.Params)), StaticSmem: layout.Static, SharedTotal: layout.Total, WaitsFirst: true}
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

// add enters an access; it returns the parameter it goes through, or -1.
func (s *Summary) add(a *analyzer, x *access) int {
	text := fmt.Sprintf("line %d: %s", x.in.Line, a.s.e.InstrText(x.in))
	if s.WaitsFirst && !a.waited(x) {
		s.WaitsFirst = false
	}
	switch {
	case x.base == nil && x.store:
		s.Unknown = append(s.Unknown, text)
		return -1
	case x.base == nil:
		s.LostLoads = append(s.LostLoads, text)
		return -1
	case x.base.kind == symVar:
		name := a.s.e.Module.Vars[x.base.id].Name
		if x.store {
			s.GlobalStore = append(s.GlobalStore, name)
		} else {
			s.ModuleRead = append(s.ModuleRead, name)
		}
		return -1
	}
	p := &s.Params[x.base.id]
	r := a.bound(x.form, x.block, x.extra)
	if x.form.over {
		s.Index32 = append(s.Index32, text)
	}
	if al := a.alignment(x.form); al < x.bytes {
		s.Misaligned = append(s.Misaligned, text)
	}
	p.note(a, x, r)
	return x.base.id
}

// note widens the extents by one access with offsets r.
func (p *ParamSummary) note(a *analyzer, x *access, r interval) {
	end := addInf(r.hi, x.bytes)
	if x.store {
		p.Stores = p.Stores.join(r.lo, end, p.Mode == "" || p.Mode == "r")
	} else {
		p.Loads = p.Loads.join(r.lo, end, p.Mode == "" || p.Mode == "w" || p.Mode == "acc")
		p.NC = p.NC || x.in.Spec.Has("nc")
	}
	p.Atomics = p.Atomics || x.atomic
	al := int(a.alignment(x.form))
	if n := int(x.bytes); n > p.Vec {
		p.Vec, p.Align = n, al
	} else if n == p.Vec {
		p.Align = min(p.Align, al)
	}
	switch {
	case p.Mode == "":
		p.Mode = "r"
		if x.atomic {
			p.Mode = "acc"
		} else if x.store {
			p.Mode = "w"
		}
	case p.Mode == "acc" && x.atomic, p.Mode == "w" && x.store && !x.atomic, p.Mode == "r" && !x.store:
	default:
		p.Mode = "rw"
	}
}

// finish settles mode and coverage.
func (p *ParamSummary) finish(a *analyzer, xs []access) {
	switch {
	case p.Mode == "":
		p.Mode = "-"
	case p.Mode == "r" && p.NC:
		p.Mode = "nc"
	}
	p.Exact = true
	var pieces []piece
	for i := range xs {
		if !xs[i].store || xs[i].atomic {
			continue
		}
		if c, ok := a.piece(&xs[i]); ok {
			pieces = append(pieces, c)
		} else {
			p.Exact = false
		}
	}
	var ok bool
	if p.Cover, ok = union(pieces); !ok {
		p.Exact = false
	}
}

// waited reports whether a griddepcontrol.wait comes before the access on every path.
func (a *analyzer) waited(x *access) bool {
	for b := x.block; b >= 0; b = a.f.IDom[b] {
		end := a.f.Blocks[b].End
		if b == x.block {
			end = x.index
		}
		for i := a.f.Blocks[b].First; i < end; i++ {
			if in := a.f.Code[i]; in.Guard < 0 && in.Op == "griddepcontrol.wait" {
				return true
			}
		}
	}
	return false
}
