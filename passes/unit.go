// Package passes turns the graph form into the plan form: a table of passes with a verifier
// after each. It must not import models or a device.
package passes

import "dsac/ir"

// Entry says for which rows one entry is compiled.
type Entry struct {
	Name string
	Rows int // T: most rows of a step
	Outs int // R: rows of logits
}

// Unit is one entry of a model on its way through the pipeline. Passes up to schedule change
// G; later ones fill in the rest.
type Unit struct {
	Entry Entry
	Bind  ir.Bind
	Opt   *Options
	G     *ir.Graph

	Layouts map[string][]string // layout: of every weight, by tensor name

	Groups []Group // batch: the launches, in the order of the nodes; nil: one for each node
	places []place // batch: by step

	Slots []Slot // destinations
	// ValueSlot and ScratchSlot find the slot of a result and of a node's scratch operands.
	ValueSlot   map[*ir.Value]int
	ScratchSlot map[*ir.Node][]int
	Height      uint64 // offsets: bytes of the arena
	Peak        uint64 // offsets: most bytes live at once
	Early       bool   // pdl: launches start before the one ahead of them has ended
}

// Slot is an explicitly allocated output: one result of a node, or its scratch.
type Slot struct {
	Name    string
	Val     *ir.Value // nil for scratch
	Node    *ir.Node  // the node that writes it
	Type    ir.Type
	Bytes   uint64 // at the entry's extents
	Out     bool   // a result of the graph: lies in the out region, not in the arena
	Inplace int    // slot whose bytes it takes, or -1
	LifeLo  int    // step that writes it
	LifeHi  int    // one past the last step that reads it
	Offset  uint64 // bytes from the start of its region
}

// align is the alignment of every buffer in bytes: what 16-byte vector access, cp.async and
// library workspaces need together.
const align = 256

func alignUp(n uint64) uint64 { return (n + align - 1) &^ (align - 1) }

// root follows in-place pairs to the slot that owns the bytes.
func (u *Unit) root(s int) int {
	for u.Slots[s].Inplace >= 0 {
		s = u.Slots[s].Inplace
	}
	return s
}
