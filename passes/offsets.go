package passes

import (
	"context"
	"fmt"

	"dsac/passes/arena"
)

// offsets places the slots of an entry in the arena. In-place chains are placed as one. It
// needs intervals; it leaves Slot.Offset, Height and Peak; it never places two slots that
// live together on the same bytes (arena.Check says so of every result).
func offsets(u *Unit) error {
	index := make(map[int]int) // root slot -> buffer
	var bufs []arena.Buffer
	for s := range u.Slots {
		slot := &u.Slots[s]
		if slot.Out {
			continue
		}
		r := u.root(s)
		b, ok := index[r]
		if !ok {
			b = len(bufs)
			index[r] = b
			bufs = append(bufs, arena.Buffer{Name: u.Slots[r].Name, Lower: int64(slot.LifeLo), Upper: int64(slot.LifeHi), Size: alignUp(slot.Bytes), Align: align})
		}
		bufs[b].Lower = min(bufs[b].Lower, int64(slot.LifeLo))
		bufs[b].Upper = max(bufs[b].Upper, int64(slot.LifeHi))
	}
	res, err := arena.Plan(context.Background(), bufs, arena.Options{})
	if err != nil {
		return fmt.Errorf("entry %s: %w", u.Entry.Name, err)
	}
	for s := range u.Slots {
		if b, ok := index[u.root(s)]; ok && !u.Slots[s].Out {
			u.Slots[s].Offset = res.Offsets[b]
		}
	}
	u.Height, u.Peak = res.Height, res.Peak
	return nil
}
