package ptx

import (
	"fmt"
	"sync"
)

// Flow is the control-flow graph of an entry. Block 0 is where threads start; the virtual exit
// that all threads reach has index len(Blocks).
type Flow struct {
	Code   []*Instr
	Blocks []Block
	Order  []int // reachable blocks in reverse postorder
	IDom   []int // immediate dominator by block; -1 for block 0 and unreachable ones

	values struct { // when asked for
		once sync.Once
		s    *ssa
	}
}

// Block is a straight run of instructions Code[First:End]. Barriers end blocks too, so that
// whoever executes them can suspend a warp between blocks.
type Block struct {
	First, End int
	Succ       []int // at a conditional branch: the target, then the fall-through
	Pred       []int
}

// Last returns the last instruction of block b, or nil when it is empty.
func (f *Flow) Last(b int) *Instr {
	if blk := f.Blocks[b]; blk.End > blk.First {
		return f.Code[blk.End-1]
	}
	return nil
}

func endsBlock(in *Instr) bool {
	if in.Spec == nil {
		return false
	}
	switch in.Spec.Row.Effect {
	case Branch, Exit, Barrier:
		return true
	}
	return false
}

// Flow returns the control-flow graph, which is built once: nobody may change it, or the body
// after a call. Unknown instructions are errors here: whether they branch cannot be told.
func (e *Entry) Flow() (*Flow, error) {
	e.flow.once.Do(func() { e.flow.f, e.flow.err = e.newFlow() })
	return e.flow.f, e.flow.err
}

func (e *Entry) newFlow() (*Flow, error) {
	f := &Flow{}
	labelAt := make([]int, len(e.Labels))
	for _, s := range e.Body {
		switch s.Kind {
		case StmtLabel:
			labelAt[s.Label] = len(f.Code)
		case StmtInstr:
			if s.Instr.Spec == nil {
				return nil, e.Unknown(s.Instr)
			}
			f.Code = append(f.Code, s.Instr)
		}
	}
	n := len(f.Code)
	leader := make([]bool, n+1)
	leader[0] = true
	for i, in := range f.Code {
		if !endsBlock(in) {
			continue
		}
		leader[i+1] = true
		if in.Spec.Row.Effect == Branch {
			leader[labelAt[in.Args[0].Int]] = true
		}
	}
	blockOf := make([]int, n+1)
	for i := 0; i < n; i++ {
		if leader[i] {
			f.Blocks = append(f.Blocks, Block{First: i})
		}
		blockOf[i] = len(f.Blocks) - 1
		f.Blocks[len(f.Blocks)-1].End = i + 1
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: entry has no instructions", e.Name)
	}
	blockOf[n] = len(f.Blocks) // running off the end is the exit
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		last := f.Code[blk.End-1]
		next := blockOf[blk.End]
		switch {
		case last.Spec.Row.Effect == Branch:
			blk.Succ = []int{blockOf[labelAt[last.Args[0].Int]]}
			if last.Guard >= 0 {
				blk.Succ = append(blk.Succ, next)
			}
		case last.Spec.Row.Effect == Exit:
			blk.Succ = []int{len(f.Blocks)}
			if last.Guard >= 0 {
				blk.Succ = append(blk.Succ, next)
			}
		default:
			blk.Succ = []int{next}
		}
		for _, s := range blk.Succ {
			if s < len(f.Blocks) {
				f.Blocks[s].Pred = append(f.Blocks[s].Pred, b)
			}
		}
	}
	f.order()
	return f, nil
}

func (f *Flow) order() {
	n := len(f.Blocks)
	succ := make([][]int, n+1)
	pred := make([][]int, n+1)
	for b := range f.Blocks {
		succ[b] = f.Blocks[b].Succ
		for _, s := range succ[b] {
			pred[s] = append(pred[s], b)
		}
	}
	rpo := reversePostorder(succ, 0)
	f.IDom = dominators(succ, pred, rpo, 0)[:n]
	for _, b := range rpo {
		if b < n {
			f.Order = append(f.Order, b)
		}
	}
}
