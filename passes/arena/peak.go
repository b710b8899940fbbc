package arena

import (
	"cmp"
	"math"
	"slices"
)

// Peak returns the largest sum of sizes live at one time, in bytes: no placement is smaller.
// Offsets are multiples of the smallest alignment of the set, the grain, so each size counts
// rounded up to a grain. Sums past 2^64-1 stop there.
func Peak(bufs []Buffer) uint64 {
	type event struct {
		at    int64
		start bool
		size  uint64
	}
	g := grain(bufs)
	events := make([]event, 0, 2*len(bufs))
	for _, b := range bufs {
		if b.Lower >= b.Upper {
			continue
		}
		size := grains(b.Size, g)
		events = append(events, event{b.Lower, true, size}, event{b.Upper, false, size})
	}
	slices.SortFunc(events, func(a, b event) int {
		if c := cmp.Compare(a.at, b.at); c != 0 || a.start == b.start {
			return c
		}
		if b.start { // ends come first: intervals are half-open
			return -1
		}
		return 1
	})
	var live, peak uint64
	for _, e := range events {
		if !e.start {
			live -= e.size
			continue
		}
		if e.size > math.MaxUint64/g-live {
			return math.MaxUint64
		}
		live += e.size
		peak = max(peak, live)
	}
	return peak * g
}

// grain returns the smallest alignment of the set, in bytes.
func grain(bufs []Buffer) uint64 {
	g := uint64(0)
	for _, b := range bufs {
		if a := max(b.Align, 1); g == 0 || a < g {
			g = a
		}
	}
	return max(g, 1)
}

// grains returns size in grains of g bytes, rounded up.
func grains(size, g uint64) uint64 {
	n := size / g
	if size%g != 0 {
		n++
	}
	return n
}
