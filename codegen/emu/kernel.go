package emu

import (
	"fmt"

	"dsac/codegen/ptx"
)

// step executes one instruction for the lanes of m, which is never 0.
type step func(w *warp, m uint32)

const fullMask = ^uint32(0)

// exitBlock stands for the virtual exit in code.
const exitBlock = -1

// Kernel is a compiled entry. It may be launched many times, from several goroutines when the
// module has no .global variables.
type Kernel struct {
	entry  *ptx.Entry
	blocks []code
	shared ptx.SharedLayout // with no dynamic memory

	cluster   int               // blocks of a cluster, 1: none
	meets     bool              // it has a barrier of the cluster
	regs      int               // slots of registers, then constants, then special registers
	consts    map[uint64]int    // slot of each constant
	special   map[string]int    // slot of each special register
	dynSlot   map[string]int    // their slots
	globals   []*ptx.Var        // module variables in .global space, in view order
	varSlot   map[string]int    // slot with each one's address
	constAt   map[string]uint64 // byte offset of .const variables
	constMem  []byte
	globalMem []*Buffer
	localAt   map[string]uint64
	localSize int

	grain [2]uint // log2 of the narrowest access to global, shared memory
	hasNC bool
	waits bool // it waits for the grid: then other accesses than of constants come after that
}

// code is a basic block.
type code struct {
	steps []step
	n     uint64 // instructions, the last one included
	kind  ptx.Effect
	last  *ptx.Instr
	guard predicate // of a branch or exit; zero when unconditional
	cond  bool
	to    int    // target of a branch
	next  int    // fall-through
	join  int    // where lanes that part here meet again
	late  bool   // of the two ways of a branch, the target is the one to run second
	bar   [2]int // operand slots of a barrier: id, thread count (-1: none)
	// of a barrier: it is one of the cluster, which this says how to come to; "": of the block
	part clusterPart
}

// predicate is a predicate register, perhaps negated.
type predicate struct {
	reg int
	not bool
}

func (p predicate) mask(w *warp) uint32 {
	if p.not {
		return ^w.p[p.reg]
	}
	return w.p[p.reg]
}

// Compile prepares an entry of the module for execution. Instructions that the table does not
// know are errors, reachable or not.
func Compile(m *ptx.Module, entry string) (*Kernel, error) {
	e := m.Entry(entry)
	if e == nil {
		return nil, fmt.Errorf("emu: module has no entry %q", entry)
	}
	f, err := e.Flow()
	if err != nil {
		return nil, fmt.Errorf("emu: %w", err)
	}
	k := &Kernel{entry: e, cluster: e.Cluster(), shared: e.SharedLayout(0), regs: len(e.Regs), consts: map[uint64]int{}, special: map[string]int{},
		dynSlot: map[string]int{}, varSlot: map[string]int{}, constAt: map[string]uint64{}, localAt: map[string]uint64{}, grain: [2]uint{3, 3}}
	if err := k.placeVariables(m); err != nil {
		return nil, fmt.Errorf("emu: %s: %w", entry, err)
	}
	c := &compiler{k: k, e: e}
	syncs, joins := reachesSync(f), f.Joins()
	target := func(b int) int {
		if b >= len(f.Blocks) {
			return exitBlock
		}
		return b
	}
	for b, blk := range f.Blocks {
		cb := code{n: uint64(blk.End - blk.First), next: target(b + 1), join: target(joins[b]), bar: [2]int{-1, -1}}
		for i := blk.First; i < blk.End; i++ {
			in := f.Code[i]
			cb.last = in
			eff := in.Spec.Row.Effect
			if eff == ptx.Branch || eff == ptx.Exit || eff == ptx.Barrier {
				cb.kind = eff
				if in.Guard >= 0 {
					cb.cond, cb.guard = true, predicate{in.Guard, in.GuardNot}
				}
				switch eff {
				case ptx.Branch:
					cb.to = target(blk.Succ[0])
					cb.late = cb.to != exitBlock && syncs[cb.to] && (cb.next == exitBlock || !syncs[cb.next])
				case ptx.Exit:
					cb.to = exitBlock
				case ptx.Barrier:
					cb.part = clusterPartOf(in)
					k.meets = k.meets || cb.part != ""
					for j := range in.Args {
						if cb.bar[j], err = c.src(&in.Args[j], ptx.U32); err != nil {
							return nil, fmt.Errorf("emu: %s: line %d: %w", entry, in.Line, err)
						}
					}
				}
				continue
			}
			s, err := c.instr(in)
			if err != nil {
				return nil, fmt.Errorf("emu: %s: line %d: %s: %w", entry, in.Line, e.InstrText(in), err)
			}
			if s == nil {
				continue
			}
			if in.Guard >= 0 {
				s = guarded(predicate{in.Guard, in.GuardNot}, s)
			}
			cb.steps = append(cb.steps, s)
		}
		k.blocks = append(k.blocks, cb)
	}
	return k, nil
}

// reachesSync tells from which blocks a barrier or warp-wide exchange can be reached. Where
// lanes part, those that cannot run first: they may exit, and are not waited for then.
func reachesSync(f *ptx.Flow) []bool {
	out := make([]bool, len(f.Blocks))
	var mark func(b int)
	mark = func(b int) {
		if !out[b] {
			out[b] = true
			for _, p := range f.Blocks[b].Pred {
				mark(p)
			}
		}
	}
	for b, blk := range f.Blocks {
		for _, in := range f.Code[blk.First:blk.End] {
			if e := in.Spec.Row.Effect; e == ptx.Barrier || e == ptx.Sync {
				mark(b)
				break
			}
		}
	}
	return out
}

func guarded(p predicate, s step) step {
	return func(w *warp, m uint32) {
		if m &= p.mask(w); m != 0 {
			s(w, m)
		}
	}
}
