package emu

import (
	"errors"
	"fmt"
	"strings"

	"dsac/codegen/ptx"
)

// FindingKind is what a check found.
type FindingKind uint8

// Kinds of findings.
const (
	OutOfBounds FindingKind = iota
	Misaligned
	UninitGlobal
	UninitShared
	UninitLocal
	PendingCopy // bytes of a cp.async that has not been waited for
	SharedRace
	GlobalRace
	NonCoherent // ld.global.nc of bytes that the launch writes
	Early       // access of what is not constant ahead of griddepcontrol.wait
	DivergentBarrier
	ClusterBarrier // arrival and wait not in turn
	PeerGone       // access to the shared memory of a block that may not run, or run no more
	Deadlock
	AbsentLane // a .sync instruction names lanes that do not execute it
	Undeclared // access outside what the parameter permits
	WrittenTwice
	Unwritten
	DivideByZero
	Trap
	numFindings
)

var findingNames = [numFindings]string{
	"out of bounds", "misaligned", "uninitialised global read", "uninitialised shared read",
	"uninitialised local read", "read of an unfinished cp.async", "shared memory race",
	"global memory race", "non-coherent read of written bytes", "access ahead of the grid wait", "divergent barrier",
	"cluster barrier out of turn", "shared memory of a block that may not run", "deadlock",
	"absent lane", "undeclared access", "written twice", "never written", "division by zero", "trap",
}

func (k FindingKind) String() string { return findingNames[k] }

// Finding is one fault, at its first occurrence.
type Finding struct {
	Kind   FindingKind
	Kernel string
	Instr  string // text of the instruction, "" for launch-wide findings
	Line   int    // in the PTX
	Block  [3]uint32
	Thread [3]uint32
	Param  int    // index, -1 when no parameter is involved
	Name   string // of the parameter or variable
	Off    int64  // byte offset from the parameter's start, or shared address
	Detail string
	Count  int // occurrences of this kind at this instruction
}

func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Kernel, f.Kind)
	if f.Instr != "" {
		fmt.Fprintf(&b, " at line %d (%s), block %d,%d,%d thread %d,%d,%d", f.Line, f.Instr,
			f.Block[0], f.Block[1], f.Block[2], f.Thread[0], f.Thread[1], f.Thread[2])
	}
	if f.Name != "" {
		fmt.Fprintf(&b, ", %s+%d", f.Name, f.Off)
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, " (%d times)", f.Count)
	}
	return b.String()
}

// Report is the outcome of a launch.
type Report struct {
	Findings     []Finding
	ThreadInstrs uint64 // instructions times active lanes
	WarpInstrs   uint64
	Barriers     uint64
	GridDepWaits uint64 // griddepcontrol.wait executed, in warps
	Params       []Touched
}

// Touched is what a launch did through one parameter.
type Touched struct {
	Loaded, Stored Range   // hulls, relative to the parameter; Hi 0: nothing
	Written        []Range // bytes written through any parameter in its place; nil with NoShadow
}

// Err is nil when nothing was found, else an error that lists the findings.
func (r *Report) Err() error {
	if len(r.Findings) == 0 {
		return nil
	}
	var lines []string
	for i, f := range r.Findings {
		if i == 20 {
			lines = append(lines, fmt.Sprintf("and %d more", len(r.Findings)-i))
			break
		}
		lines = append(lines, f.String())
	}
	return errors.New(strings.Join(lines, "\n"))
}

type findingKey struct {
	kind FindingKind
	in   *ptx.Instr
	name string
}

// find records a fault of lane l of warp w at instruction in.
func (w *warp) find(kind FindingKind, in *ptx.Instr, l int, v *view, off int64, detail string) {
	g := w.blk.grid
	if !g.wanted[kind] {
		return
	}
	f := Finding{Kind: kind, Kernel: g.k.entry.Name, Block: w.blk.id, Thread: w.blk.thread(w.first + l), Param: -1, Off: off, Detail: detail, Count: 1}
	if in != nil {
		f.Line = in.Line
	}
	if v != nil {
		f.Param, f.Name = v.param, v.name
	}
	key := findingKey{kind, in, f.Name}
	if i, ok := g.seen[key]; ok {
		g.findings[i].Count++
		return
	}
	if in != nil {
		f.Instr = g.k.entry.InstrText(in)
	}
	g.seen[key] = len(g.findings)
	g.findings = append(g.findings, f)
}
