package passes

// liveness gives every slot its interval in steps, half-open: from the first step of the launch
// that writes it to one past the last of the launch that reads it last. A slot whose bytes a
// later result takes ends with the launch that makes that result. It needs slots and the
// schedule; it leaves LifeLo and LifeHi; it never shortens an interval below what the steps use.
func liveness(u *Unit) error {
	last := lastReads(u)
	for step, n := range u.G.Nodes {
		for _, v := range n.Out {
			if s, ok := u.ValueSlot[v]; ok {
				u.Slots[s].LifeLo = u.launchOf(step).lo
			}
		}
		for _, s := range u.ScratchSlot[n] {
			u.Slots[s].LifeLo = u.launchOf(step).lo
		}
	}
	for s := range u.Slots {
		u.Slots[s].LifeHi = u.launchOf(last[s]).hi + 1
		if u.Slots[s].Out {
			u.Slots[s].LifeHi = len(u.G.Nodes)
		}
	}
	return nil
}
