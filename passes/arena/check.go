package arena

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// maxReported bounds the violations that one Check lists.
const maxReported = 1000

// Check reports every way in which offsets break the rules for bufs in an arena of capacity
// bytes: a count that differs, an offset off its alignment or not the fixed one, an end past
// the capacity, two buffers live at once that share a byte. It shares no code with the planner.
func Check(bufs []Buffer, offsets []uint64, capacity uint64) error {
	if len(offsets) != len(bufs) {
		return fmt.Errorf("%d offsets for %d buffers", len(offsets), len(bufs))
	}
	var errs []error
	report := func(format string, args ...any) {
		if len(errs) < maxReported {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	order := make([]int, len(bufs)) // by start of life
	for i, b := range bufs {
		order[i] = i
		if b.Align > 1 && offsets[i]%b.Align != 0 {
			report("buffer %q at %d: not aligned to %d", b.Name, offsets[i], b.Align)
		}
		if b.Fixed && offsets[i] != b.Offset {
			report("buffer %q at %d: fixed at %d", b.Name, offsets[i], b.Offset)
		}
		if b.Size > capacity || offsets[i] > capacity-b.Size {
			report("buffer %q at %d, %d bytes: ends past the capacity of %d", b.Name, offsets[i], b.Size, capacity)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(bufs[i].Lower, bufs[j].Lower) })
	for n, i := range order {
		a, ao := bufs[i], offsets[i]
		for _, j := range order[n+1:] {
			b, bo := bufs[j], offsets[j]
			if b.Lower >= a.Upper {
				break
			}
			apart := a.Size == 0 || b.Size == 0 || a.Lower >= b.Upper ||
				ao <= bo && bo-ao >= a.Size || bo <= ao && ao-bo >= b.Size
			if !apart {
				report("buffers %q [%d,+%d) and %q [%d,+%d) overlap while both are live",
					a.Name, ao, a.Size, b.Name, bo, b.Size)
			}
		}
	}
	return errors.Join(errs...)
}
