package ptx

// place is an instruction: its block and its index in Flow.Code.
type place struct{ block, index int }

// gridWaits lists the griddepcontrol.wait instructions that every thread executes which comes
// by them.
func (f *Flow) gridWaits() []place {
	var out []place
	for _, b := range f.Order {
		for i := f.Blocks[b].First; i < f.Blocks[b].End; i++ {
			if in := f.Code[i]; in.Guard < 0 && in.Op == "griddepcontrol.wait" {
				out = append(out, place{b, i})
			}
		}
	}
	return out
}

// waited reports whether one of the waits comes before the instruction on every path.
func (f *Flow) waited(waits []place, at place) bool {
	for _, w := range waits {
		if w.block == at.block && w.index < at.index || w.block != at.block && f.Dominates(w.block, at.block) {
			return true
		}
	}
	return false
}

// unwaitedExit describes a way out of the entry that does not pass a wait; "": there is none.
func (a *analyzer) unwaitedExit() string {
	for _, b := range a.f.Order {
		blk := a.f.Blocks[b]
		for _, s := range blk.Succ {
			if s == len(a.f.Blocks) && !a.f.waited(a.waits, place{b, blk.End}) {
				return a.s.e.lineText(a.f.Code[blk.End-1])
			}
		}
	}
	return ""
}
