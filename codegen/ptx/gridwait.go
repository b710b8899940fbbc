package ptx

// gridWaits tells at the start of which blocks every thread has executed griddepcontrol.wait,
// whatever way it took.
func (f *Flow) gridWaits() []bool {
	in := make([]bool, len(f.Blocks))
	for _, b := range f.Order {
		in[b] = b != 0
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Order {
			if !in[b] {
				continue
			}
			for _, p := range f.Blocks[b].Pred {
				if f.reached(p) && !f.waited(in, p, f.Blocks[p].End) {
					in[b], changed = false, true
					break
				}
			}
		}
	}
	return in
}

// reached reports whether threads come to block b at all.
func (f *Flow) reached(b int) bool { return b == 0 || f.IDom[b] >= 0 }

// waited reports whether every thread has waited before instruction i of block b, when in says
// at the start of which blocks it has.
func (f *Flow) waited(in []bool, b, i int) bool {
	if in[b] {
		return true
	}
	for _, x := range f.Code[f.Blocks[b].First:i] {
		if x.Guard < 0 && x.Op == "griddepcontrol.wait" {
			return true
		}
	}
	return false
}

// unwaitedExit describes a way out of the entry that passes no wait; "": there is none.
func (a *analyzer) unwaitedExit() string {
	for _, b := range a.f.Order {
		blk := a.f.Blocks[b]
		for _, s := range blk.Succ {
			if s == len(a.f.Blocks) && !a.f.waited(a.waits, b, blk.End) {
				return a.s.e.lineText(a.f.Code[blk.End-1])
			}
		}
	}
	return ""
}
