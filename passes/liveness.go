package passes

// liveness gives every slot its interval in steps, half-open: from the first step of the launch
// that writes it to one past the last of the launch that reads it last. A slot whose bytes a
// later result takes ends with the step that makes that result. It needs slots and the schedule; it leaves LifeLo and LifeHi; it
// never shortens an interval below what the steps use.
func liveness(u *Unit) error {
	last := lastReads(u)
	first, end := u.launchBounds()
	for step, n := range u.G.Nodes {
		for _, v := range n.Out {
			if s, ok := u.ValueSlot[v]; ok {
				u.Slots[s].LifeLo = first[step]
			}
		}
		for _, s := range u.ScratchSlot[n] {
			u.Slots[s].LifeLo = first[step]
		}
	}
	for s := range u.Slots {
		u.Slots[s].LifeHi = end[last[s]] + 1
		if u.Slots[s].Out {
			u.Slots[s].LifeHi = len(u.G.Nodes)
		}
	}
	return nil
}

// launchBounds returns, by step, the first and the last step of its launch.
func (u *Unit) launchBounds() (first, last []int) {
	for step := 0; step < len(u.G.Nodes); {
		_, lo, hi := u.launchOf(step)
		for ; step <= hi; step++ {
			first, last = append(first, lo), append(last, hi)
		}
	}
	return first, last
}
