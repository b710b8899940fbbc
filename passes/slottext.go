package passes

import (
	"fmt"
	"strings"
)

// slotText prints the slots of a unit, one per line: what a dump after destinations shows.
func slotText(u *Unit) string {
	var b strings.Builder
	for i := range u.Slots {
		s := &u.Slots[i]
		fmt.Fprintf(&b, "slot %s %d", s.Name, s.Bytes)
		if s.Inplace >= 0 {
			fmt.Fprintf(&b, " inplace_of=%s", u.Slots[s.Inplace].Name)
		}
		if s.LifeHi > 0 {
			fmt.Fprintf(&b, " life=%d:%d", s.LifeLo, s.LifeHi)
		}
		if s.Out {
			b.WriteString(" out")
		} else if u.Height > 0 {
			fmt.Fprintf(&b, " at=%d", s.Offset)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
