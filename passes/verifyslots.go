package passes

import (
	"errors"
	"fmt"
)

// verifySlots checks what must hold of slots from destinations on: every result that is not
// a state has a slot of the right size; in-place pairs have the same size, an alias contract
// and no cycle. Whether live slots overlap is checked by arena.Check and by the lint.
func verifySlots(u *Unit) error {
	if u.ValueSlot == nil {
		return nil
	}
	var errs []error
	for _, n := range u.G.Nodes {
		for i, v := range n.Out {
			s, ok := u.ValueSlot[v]
			if ok == (n.StateOf(i) != nil) {
				errs = append(errs, fmt.Errorf("%s: result %d has a slot: %v", n, i, ok))
			}
			if ok && u.Slots[s].Val != v {
				errs = append(errs, fmt.Errorf("%s: result %d has the slot of another value", n, i))
			}
		}
	}
	for i := range u.Slots {
		s := &u.Slots[i]
		if s.Inplace < 0 {
			continue
		}
		if s.Inplace >= i {
			errs = append(errs, fmt.Errorf("slot %s takes the bytes of a later one", s.Name))
		} else if u.Slots[s.Inplace].Bytes != s.Bytes {
			errs = append(errs, fmt.Errorf("slot %s takes the bytes of %s, which has another size", s.Name, u.Slots[s.Inplace].Name))
		}
	}
	return errors.Join(errs...)
}
