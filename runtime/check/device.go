// Package check compares a device with the host, one step of a plan at a time: each step runs
// on the device with its inputs taken from the host's run, so that an error stays in the step
// that made it. It must not import ir, passes, models or codegen; tolerances and devices are
// given to it.
package check

import "dsac/runtime/plan"

// Device executes single steps of a plan.
type Device interface {
	// Name says what runs the steps, for reports.
	Name() string
	// Step executes the launch that starts with s.Index on the bytes in s.Pieces and leaves there what it made of them. It
	// returns what it saw go wrong on the way; an error means that it cannot run the step at
	// all, and ends the check.
	Step(s *Step) ([]Finding, error)
}

// Step is one step with everything that it touches, or all steps of one launch.
type Step struct {
	Index  int32      // into Plan.Steps: the first
	At     plan.Point // values of the symbols
	Pieces []Piece
	Params []Param // one per operand, in order, then the control buffer
}

// Piece is a range of a region with its bytes. Parameters that share bytes share the piece.
// Bytes outside Defined are undefined: those in Near hold poison, which a device must have
// there too, the others are zero here and whatever they are on the device.
type Piece struct {
	Region  int32
	Off     uint64 // bytes from the region's start, in the plan's own placement
	Data    []byte
	Near    []Span // what the step declares and some bytes around it; ascending, disjoint
	Defined []Span // ascending, disjoint
}

// Param is what a kernel gets as one parameter: a whole buffer.
type Param struct {
	Name   string // the buffer's
	Buf    int32
	Effect plan.Effect
	Piece  int // into Step.Pieces, or Held
	Off    int // bytes from the piece's start
	Size   int // bytes
	// Reads and Writes are the bytes that the step declares, from the buffer's start. AnyRead
	// says that reads elsewhere in the buffer are masked before use.
	Reads, Writes []Span
	AnyRead       bool
	given         []Span // what the device gets of the host's bytes: Reads, unless the launch makes them
}

// Held marks a parameter in a const region: the device has those bytes from the plan's weights.
const Held = -1

// Span is the half-open byte range [Lo, Hi).
type Span struct{ Lo, Hi int }

// Finding is one thing that is wrong.
type Finding struct {
	Kind    Kind   `json:"kind"`
	Entry   string `json:"entry"`
	Step    string `json:"step"`
	Index   int32  `json:"index"` // of the step, in the plan
	Op      string `json:"op"`
	Kernel  string `json:"kernel,omitempty"`
	Operand string `json:"operand,omitempty"` // the buffer's name
	Byte    int64  `json:"byte"`              // from the buffer's start; -1: no one byte
	Detail  string `json:"detail"`
}

// Kind says what is wrong.
type Kind string

// Kinds of findings. Device covers what only some devices see, such as races.
const (
	Differs   Kind = "differs"   // a value is off by more than its op's tolerance
	NotANum   Kind = "nan"       // a result is NaN, the host's is not
	Unwritten Kind = "unwritten" // a declared output byte still holds poison
	Outside   Kind = "outside"   // a byte changed that no operand declares as written
	List      Kind = "list"      // a list is not one that the op may choose
	Faulty    Kind = "device"    // the device reports it
	Order     Kind = "order"     // results change when a launch is delayed
)
