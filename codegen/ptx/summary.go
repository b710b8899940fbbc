package ptx

import "fmt"

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
	Stages  Stages
	NC      bool   // some load is non-coherent
	Early   string // an access that some path comes to without a griddepcontrol.wait; "": none
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
	Early       string   // as in ParamSummary, of accesses that cannot be traced to a parameter
	Exit        string   // a way out that some path comes to without a griddepcontrol.wait; "": none
	Instrs      [NumClasses]int
}

// add enters an access; it returns the parameter it goes through, or -1.
func (s *Summary) add(a *analyzer, x *access) int {
	text := func() string { return a.s.e.lineText(x.in) } // most are never said
	early := !a.f.waited(a.waits, x.block, x.index)
	if early && x.base == nil && s.Early == "" {
		s.Early = text()
	}
	switch {
	case x.base == nil && x.store:
		s.Unknown = append(s.Unknown, text())
		return -1
	case x.base == nil:
		s.LostLoads = append(s.LostLoads, text())
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
	if early && p.Early == "" {
		p.Early = text()
	}
	r := a.bound(x.form, x.block, x.extra)
	if x.form.over {
		s.Index32 = append(s.Index32, text())
	}
	if al := a.alignment(x.form); al < x.bytes {
		s.Misaligned = append(s.Misaligned, text())
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
	p.Stages = p.Stages.with(a.f.stage(x.block), p.Mode == "")
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

// lineText is an instruction with its line, for messages.
func (e *Entry) lineText(in *Instr) string {
	return fmt.Sprintf("line %d: %s", in.Line, e.InstrText(in))
}
