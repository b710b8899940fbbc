package lint

import (
	"strconv"
	"strings"

	"dsac/runtime/plan"
)

// Mode is what a kernel does through one of its parameters.
type Mode string

// Modes, named as in docs/spec/alias-faults.md section 1 ("PTX summary").
const (
	Unused      Mode = "-"
	Loads       Mode = "r"
	NonCoherent Mode = "nc" // loads on a path that does not see stores of the same launch
	Stores      Mode = "w"
	LoadsStores Mode = "rw"
	Adds        Mode = "acc"
)

func (m Mode) stores() bool { return m == Stores || m == LoadsStores || m == Adds }

// unknown marks a number that a summary does not state.
const unknown int64 = -1

// Param sums up one parameter of a kernel. Numbers are bytes from the start of its buffer;
// -1 means not stated.
type Param struct {
	Mode  Mode
	End   int64  // upper bound of the stored range for the launch grid
	Cov   int64  // bytes certainly stored
	Vec   int64  // widest access
	Early string // an access that some path comes to without a wait for the grid; "": none
}

// Summary is what the emitted text of a kernel does, found by provenance analysis of that
// text and never taken from the emitter's own tables.
type Summary struct {
	Args    []int32 // per argument of the launch: number of the operand it binds, -1 = the control buffer, -2 = no operand
	Params  []Param // per parameter of the entry point
	Unknown bool    // a store whose base cannot be traced to a parameter
	Global  string  // a module variable that it stores to
	Maps    []Descriptor
	// Unordered: no barrier of the block keeps the step apart from others in the same blocks.
	Unordered bool
	Early     string // as in Param, of accesses that cannot be traced to a parameter
	Exit      string // a way out that some path comes to without a wait for the grid; "": none
}

// Descriptor is a host-encoded tensor map: the bytes that it covers, from the region's start.
type Descriptor struct {
	Operand      int32
	Base, Extent int64
}

const noOperand int32 = -2

// written reads a summary from the keys of a hand-written plan: args= ptx= end= cov= vec= early=
// exit= unk gst= tmap=. Without args= parameters follow the operands.
func (m *model) written(step int32) (Summary, bool) {
	st := &m.p.Steps[step]
	modes := m.attr(step, "ptx")
	s := Summary{Unknown: st.Flags&plan.Unk != 0, Global: m.attr(step, "gst"), Exit: m.attr(step, "exit")}
	if modes == "" && !s.Unknown && s.Global == "" && s.Exit == "" && m.attr(step, "tmap") == "" {
		return s, false
	}
	for _, d := range list(m.attr(step, "tmap")) {
		name, where, _ := strings.Cut(d, ":")
		base, extent, _ := strings.Cut(where, "+")
		s.Maps = append(s.Maps, Descriptor{m.operandNamed(step, name, nil), number(base), number(extent)})
	}
	if modes == "" {
		return s, true
	}
	if args := list(m.attr(step, "args")); args != nil {
		used := map[int32]bool{}
		for _, a := range args {
			i := m.operandNamed(step, a, used)
			used[i] = true
			s.Args = append(s.Args, i)
		}
	} else {
		for i := range int32(st.Operands.Len) {
			s.Args = append(s.Args, i)
		}
	}
	end, cov, vec, early := list(m.attr(step, "end")), list(m.attr(step, "cov")), list(m.attr(step, "vec")), list(m.attr(step, "early"))
	for i, mode := range list(modes) {
		p := Param{Mode(mode), at(end, i), at(cov, i), at(vec, i), ""}
		if i < len(early) && early[i] != "-" {
			p.Early = early[i]
		}
		s.Params = append(s.Params, p)
	}
	return s, true
}

// operandNamed returns the operand of a step that is bound to a buffer, preferring unused ones.
func (m *model) operandNamed(step int32, name string, used map[int32]bool) int32 {
	found := noOperand
	for i, o := range m.p.Ops(&m.p.Steps[step]) {
		if m.bufName(o.Buf) != name {
			continue
		}
		if !used[int32(i)] {
			return int32(i)
		}
		found = int32(i)
	}
	return found
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return unknown
	}
	return n
}

func at(l []string, i int) int64 {
	if i >= len(l) {
		return unknown
	}
	return number(l[i])
}
