package ptx

import (
	"fmt"
	"slices"
)

// Window is a part of a launch whose grid and block have one dimension: blocks [Blocks[0],
// Blocks[1]) and in each threads [Threads[0], Threads[1]). Code that no thread of the window
// reaches, because a branch compares a block or thread number with a constant, counts as absent.
type Window struct{ Blocks, Threads [2]uint32 }

// All is the window that holds a whole launch.
func (l Launch) All() Window {
	return Window{[2]uint32{0, l.Grid[0]}, [2]uint32{0, l.Block[0]}}
}

// AnalyzeWindow is AnalyzeAssuming for the threads of a window.
func AnalyzeWindow(e *Entry, l Launch, w Window, assume []Assume) (*Summary, error) {
	switch {
	case l.Grid[1] != 1 || l.Grid[2] != 1 || l.Block[1] != 1 || l.Block[2] != 1:
		return nil, fmt.Errorf("%s: grid %v and block %v have more than one dimension: only a line has windows", e.Name, l.Grid, l.Block)
	case w.Blocks[0] >= w.Blocks[1] || w.Blocks[1] > l.Grid[0] || w.Threads[0] >= w.Threads[1] || w.Threads[1] > l.Block[0]:
		return nil, fmt.Errorf("%s: blocks %v and threads %v are empty or leave a launch of %d blocks of %d", e.Name, w.Blocks, w.Threads, l.Grid[0], l.Block[0])
	}
	f, err := e.window(w)
	if err != nil {
		return nil, err
	}
	return analyze(e, f, l, w, assume)
}

// window returns the control-flow graph of a window, which is built once.
func (e *Entry) window(w Window) (*Flow, error) {
	if f, ok := e.flow.windows.Load(w); ok {
		return f.(*Flow), nil
	}
	f, err := e.newFlow()
	if err != nil {
		return nil, err
	}
	f.narrow(w)
	same, _ := e.flow.windows.LoadOrStore(w, f)
	return same.(*Flow), nil
}

// narrow takes out the edges that no thread of the window takes.
func (f *Flow) narrow(w Window) {
	only := f.onlyDefinitions()
	cut := false
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		last := f.Code[blk.End-1]
		if len(blk.Succ) != 2 || last.Guard < 0 {
			continue
		}
		if truth, ok := w.decides(f, only, b, last.Guard); ok {
			if truth != last.GuardNot {
				blk.Succ = blk.Succ[:1]
			} else {
				blk.Succ = blk.Succ[1:]
			}
			cut = true
		}
	}
	if cut {
		f.relink()
	}
}

// onlyDefinitions returns the instruction that writes each register, nil where there are several.
func (f *Flow) onlyDefinitions() map[int]*Instr {
	only := map[int]*Instr{}
	for _, in := range f.Code {
		for _, r := range destinations(in) {
			if _, again := only[r]; again || in.Guard >= 0 {
				only[r] = nil
			} else {
				only[r] = in
			}
		}
	}
	return only
}

// definition returns the instruction that gives register r its value where block b has the
// instruction user: the only one that there is, or the last before it where one way leads back.
// llc uses the register of a thread number again when it counts on from it.
func (f *Flow) definition(only map[int]*Instr, b, r int, user *Instr) *Instr {
	if in := only[r]; in != nil {
		return in
	}
	end := slices.Index(f.Code[f.Blocks[b].First:f.Blocks[b].End], user) + f.Blocks[b].First
	if end < f.Blocks[b].First {
		return nil // it is in another block
	}
	for range f.Blocks {
		for i := end - 1; i >= f.Blocks[b].First; i-- {
			if in := f.Code[i]; slices.Contains(destinations(in), r) {
				if in.Guard >= 0 {
					return nil
				}
				return in
			}
		}
		if len(f.Blocks[b].Pred) != 1 {
			break
		}
		b = f.Blocks[b].Pred[0]
		end = f.Blocks[b].End
	}
	return nil
}

// decides says what a predicate is at the end of block b in the whole window, if it is the same
// everywhere.
func (w *Window) decides(f *Flow, only map[int]*Instr, b, pred int) (truth, ok bool) {
	in := only[pred]
	if in == nil || in.Spec.Name != "setp" || len(in.Args) != 3 || in.Args[1].Kind != OpReg || in.Args[2].Kind != OpInt || in.Args[1].Neg {
		return false, false
	}
	x := &value{in: in}
	rel, typ, signed, ok := comparison(x, true)
	axis, known := w.axis(f.definition(only, b, in.Args[1].Reg, in))
	if !ok || !known || typ.Bits() != 32 {
		return false, false
	}
	n := in.Args[2].Int
	if !signed && n < 0 {
		n += 1 << 32
	}
	holds := func(rel string) bool {
		d := axis.add(point(-n))
		if rel == "ne" {
			return d.lo > 0 || d.hi < 0
		}
		return d.within(within[rel])
	}
	switch {
	case holds(rel):
		return true, true
	case holds(negated[rel]):
		return false, true
	}
	return false, false
}

// axis is what a move from a block or thread number gives.
func (w *Window) axis(in *Instr) (interval, bool) {
	if in == nil || in.Spec.Name != "mov" || len(in.Args) != 2 || in.Args[1].Kind != OpSpecial {
		return interval{}, false
	}
	switch in.Args[1].Name {
	case "%ctaid.x":
		return interval{int64(w.Blocks[0]), int64(w.Blocks[1]) - 1}, true
	case "%tid.x":
		return interval{int64(w.Threads[0]), int64(w.Threads[1]) - 1}, true
	}
	return interval{}, false
}

// relink works out predecessors, order and dominators from the successors that are left.
func (f *Flow) relink() {
	reached := make([]bool, len(f.Blocks)+1)
	stack := []int{0}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if reached[b] {
			continue
		}
		if reached[b] = true; b < len(f.Blocks) {
			stack = append(stack, f.Blocks[b].Succ...)
		}
	}
	for b := range f.Blocks {
		f.Blocks[b].Pred = nil
	}
	for b := range f.Blocks {
		if !reached[b] {
			f.Blocks[b].Succ = nil
		}
		for _, s := range f.Blocks[b].Succ {
			if s < len(f.Blocks) {
				f.Blocks[s].Pred = append(f.Blocks[s].Pred, b)
			}
		}
	}
	f.Order = nil
	f.order()
}
