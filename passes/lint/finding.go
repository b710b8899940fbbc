package lint

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says whether a finding stops a compile.
type Severity uint8

// Severities. Warnings count only when Options.Strict is set.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// Finding is one fault.
type Finding struct {
	Code     string
	Severity Severity
	Entry    string  // entry of the plan, "" in nameless ones
	Summary  string  // one line
	Ops      []Op    // the op at fault first
	Bytes    []Bytes // the bytes at fault first
	Chain    []string
	Repair   string
	Source   *Source
	Point    string // values of the symbols at which the fault shows, "" if always
	More     int    // like ones that Group folded into this one
	Feeders  int    // ops that work for this one only: dead chains that Group folded into it
	Ignored  string // reason for which it was waived, "" if it counts

	entry, step, operand int32
	paired               bool // one half of a phantom: pair found the other
}

// Op names a step of the plan.
type Op struct {
	Name, Kind, Stream string
	Step               int32 // index in the plan
}

// Bytes is the half-open range [Lo, Hi) of a buffer, counted from the buffer's start.
type Bytes struct {
	Buf, Region string
	Off         int64 // of the buffer in its region
	Lo, Hi      int64
}

// String gives buf[lo:hi] and the bytes of the region.
func (b Bytes) String() string {
	return fmt.Sprintf("%s[%d:%d] (%s+%d..%d)", b.Buf, b.Lo, b.Hi, b.Region, b.Off+b.Lo, b.Off+b.Hi)
}

// Source is a place in a DSL file.
type Source struct {
	File      string
	Line, Col uint32
	Text      string
}

func (s *Source) String() string { return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col) }

// Fails says whether any finding counts: an error that is not ignored, or with strict a warning.
func Fails(fs []Finding, strict bool) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool {
		return f.Ignored == "" && (f.Severity == Error || strict)
	})
}

// key makes findings unique: one per code, step and operand, whatever the point.
type key struct {
	code                 string
	entry, step, operand int32
}

// collector gathers findings and drops repetitions.
type collector struct {
	seen map[key]bool
	list []Finding
}

func (c *collector) add(f Finding) {
	k := key{f.Code, f.entry, f.step, f.operand}
	if c.seen[k] {
		return
	}
	if c.seen == nil {
		c.seen = make(map[key]bool)
	}
	c.seen[k] = true
	c.list = append(c.list, f)
}

func compare(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.entry, b.entry), cmp.Compare(a.step, b.step), cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.operand, b.operand), cmp.Compare(a.Summary, b.Summary))
}
