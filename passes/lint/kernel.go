package lint

import (
	"fmt"

	"dsac/runtime/plan"
)

// Family P: the emitted kernel against the plan. All of it is decided by one function over the
// kernel's summary, because P01 is a statement about the others: two violations that vanish
// when two arguments are exchanged.
var kernelRules = []Rule{
	{Code: "P01", Repair: "bind the arguments in the order of the kernel's parameters", step: kernelAgainstPlan},
	{Code: "P02", Repair: "let the kernel store to its output, or drop the output from the plan"},
	{Code: "P03", Repair: "declare the write, or take the store out of the kernel"},
	{Code: "P04", Repair: "form every stored address from a parameter"},
	{Code: "P05", Repair: "guard the store with the shape"},
	{Code: "P06", Repair: "launch enough blocks, or declare the shorter range"},
	{Code: "P07", Repair: "align the buffer to the access, or narrow the access"},
	{Code: "P08", Repair: "load through the coherent path"},
	{Code: "P09", Repair: "bind the entry point that the plan was made for"},
	{Code: "P10", Repair: "encode the descriptor from the plan's own offset and size"},
	{Code: "P11", Repair: "let plan and kernel agree on store or add"},
	{Code: "P12", Repair: "keep the state in a buffer of the plan"},
	{Code: "P13", Repair: "let every thread wait for the grid first of all, constants aside"},
}

// violation is one thing that a parameter does against the plan.
type violation struct {
	code    string
	operand int32 // number in the step
	text    string
}

func kernelAgainstPlan(s *site) {
	sum, ok := Summary{}, false
	if get := s.m.opt.Summary; get != nil {
		sum, ok = get(s.m.p, s.step)
	}
	if !ok {
		sum, ok = s.m.written(s.step)
	}
	if !ok {
		return
	}
	if sum.Unknown {
		s.kernel(violation{"P04", none, "stores through an address that cannot be traced to a parameter"})
	}
	if sum.Global != "" {
		s.kernel(violation{"P12", none, "stores to module variable " + sum.Global + ", which the plan does not know"})
	}
	if sum.Unordered {
		s.kernel(violation{"O06", none, "has no barrier between it and the other steps in its blocks"})
	}
	s.descriptors(&sum)
	s.gridWait(&sum)
	if sum.Params == nil {
		return
	}
	if len(sum.Params) != len(sum.Args) {
		s.kernel(violation{"P09", none, fmt.Sprintf("binds %d arguments, but its kernel has %d parameters", len(sum.Args), len(sum.Params))})
		return
	}
	for i, a := range sum.Args {
		if a == noOperand {
			s.kernel(violation{"P09", int32(i), fmt.Sprintf("binds argument %d to a buffer that is none of its operands", i)})
			return
		}
	}
	vs := s.violations(&sum)
	if i, j, ok := s.exchanged(&sum, len(vs)); ok {
		s.kernel(violation{"P01", sum.Args[i], fmt.Sprintf("binds arguments %d and %d in the wrong order: exchanged, kernel and plan agree", i, j)})
		return
	}
	for _, v := range vs {
		s.kernel(v)
	}
}

func (s *site) kernel(v violation) {
	s.rule = rule(v.code)
	operand := v.operand
	if operand != none {
		operand += int32(s.m.p.Steps[s.step].Operands.Off)
	}
	f := s.finding(operand)
	f.Summary = "the kernel of " + s.name() + " " + v.text
	if ops := s.m.p.Ops(&s.m.p.Steps[s.step]); v.operand >= 0 && int(v.operand) < len(ops) {
		f.Bytes = []Bytes{s.m.wholeBuf(ops[v.operand].Buf)}
	}
	s.out.add(f)
}

// exchanged looks for two arguments whose exchange leaves no violation, where there were two
// or more.
func (s *site) exchanged(sum *Summary, n int) (i, j int, ok bool) {
	if n < 2 {
		return 0, 0, false
	}
	args := sum.Args
	defer func() { sum.Args = args }()
	for i := range args {
		for j := i + 1; j < len(args); j++ {
			sum.Args = append([]int32(nil), args...)
			sum.Args[i], sum.Args[j] = args[j], args[i]
			if len(s.violations(sum)) == 0 {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// violations compares each parameter with the operand that it is bound to.
func (s *site) violations(sum *Summary) []violation {
	ops := s.m.p.Ops(&s.m.p.Steps[s.step])
	var vs []violation
	bound := make([]bool, len(ops))
	for i, a := range sum.Args {
		if a < 0 || int(a) >= len(ops) {
			continue // the control buffer: its fields are checked by the kernel's own rules
		}
		bound[a] = true
		o, p := &ops[a], &sum.Params[i]
		name := s.m.bufName(o.Buf)
		add := func(code, format string, args ...any) {
			vs = append(vs, violation{code, a, fmt.Sprintf(format, args...)})
		}
		buf := &s.m.p.Bufs[o.Buf]
		lo, hi := s.reach(o)
		switch {
		case o.Effect == plan.R && p.Mode.stores():
			add("P03", "stores through %s, which the plan only reads", name)
		case o.Effect != plan.R && o.Effect != plan.Scr && !p.Mode.stores():
			add("P02", "never stores to %s, which the plan says it writes", name)
		case o.Effect == plan.W && p.Mode == Adds:
			add("P11", "adds to %s, which the plan says it overwrites", name)
		case o.Effect == plan.Acc && p.Mode != Adds && p.Mode.stores():
			add("P11", "overwrites %s, which the plan says it adds to", name)
		}
		if writes(o.Effect) && p.End != unknown && p.End > hi {
			add("P05", "stores up to byte %d of %s, which ends at %d", p.End, name, hi)
		}
		if writes(o.Effect) && o.Effect != plan.Scr && p.Cov != unknown && p.Cov < hi-lo {
			add("P06", "is certain to store only %d of the %d bytes of %s", p.Cov, hi-lo, name)
		}
		if p.Vec > 1 && (buf.Off%uint64(p.Vec) != 0 || lo%p.Vec != 0) {
			add("P07", "accesses %s %d bytes at a time, but it lies at %d", name, p.Vec, int64(buf.Off)+lo)
		}
		if p.Mode == NonCoherent && s.writtenByLaunch(o) {
			add("P08", "reads %s through the non-coherent path, while the same launch writes these bytes", name)
		}
	}
	for a, ok := range bound {
		if e := ops[a].Effect; !ok && writes(e) && e != plan.Scr {
			vs = append(vs, violation{"P02", int32(a), fmt.Sprintf("has no parameter for %s, which the plan says it writes", s.m.bufName(ops[a].Buf))})
		}
	}
	return vs
}

// reach returns the widest range of an operand over all points, from the buffer's start. Where
// the range moves with the position, so does what the kernel stores: the buffer is the bound.
func (s *site) reach(o *plan.Operand) (lo, hi int64) {
	size := int64(min(s.m.p.Bufs[o.Buf].Size, maxAddress))
	if s.moves(o.Lo) || s.moves(o.Hi) {
		return 0, size
	}
	at := plan.Point{N: int64(max(s.entry.Rows, 1))}
	lo, hi = s.m.p.Range(o, at)
	return lo, hi
}

func (s *site) moves(l plan.Lin) bool { return l.Sym == plan.SymPos || l.Sym == plan.SymLen }

// writtenByLaunch says whether any step of the same launch writes bytes of o.
func (s *site) writtenByLaunch(o *plan.Operand) bool {
	lo, hi := s.span(o)
	first, count := s.step, int32(1)
	if l := s.m.p.Steps[s.step].Launch; l != plan.None {
		first, count = s.m.p.Launches[l].First, s.m.p.Launches[l].Count
	}
	for st := first; st < first+count; st++ {
		for _, w := range s.m.p.Ops(&s.m.p.Steps[st]) {
			wlo, whi := s.span(&w)
			if writes(w.Effect) && s.m.p.Bufs[w.Buf].Region == s.m.p.Bufs[o.Buf].Region && wlo < hi && lo < whi {
				return true
			}
		}
	}
	return false
}

func (s *site) span(o *plan.Operand) (lo, hi int64) {
	lo, hi = s.reach(o)
	off := int64(min(s.m.p.Bufs[o.Buf].Off, maxAddress))
	return off + lo, off + hi
}

// descriptors is P10.
func (s *site) descriptors(sum *Summary) {
	ops := s.m.p.Ops(&s.m.p.Steps[s.step])
	for _, d := range sum.Maps {
		if d.Operand < 0 || int(d.Operand) >= len(ops) {
			s.kernel(violation{"P10", none, "has a descriptor for a buffer that is none of its operands"})
			continue
		}
		b := &s.m.p.Bufs[ops[d.Operand].Buf]
		if d.Base != int64(b.Off) || d.Extent < 0 || uint64(d.Extent) > b.Size {
			s.kernel(violation{"P10", d.Operand, fmt.Sprintf("has a descriptor for bytes %d..%d, but %s lies at %d..%d", d.Base, d.Base+d.Extent, s.m.bufName(ops[d.Operand].Buf), b.Off, b.Off+b.Size)})
		}
	}
}
