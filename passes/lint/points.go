package lint

import (
	"fmt"

	"dsac/runtime/plan"
)

// corners returns the points at which the ranges of an entry are decided. Every range is
// linear in one symbol, so that two ranges that start at fixed bytes meet or miss at an end of
// the symbols' bounds: n in {1, rows}, pos in {0, an unaligned middle, the last that leaves
// room}. An entry without symbols has one point. Ranges whose start moves: see crossings.
func corners(rows, ctx int64, usesN, usesPos bool) []plan.Point {
	rows = max(rows, 1)
	ns := []int64{rows}
	if rows > 1 && (usesN || usesPos) {
		ns = []int64{1, rows}
	}
	var pts []plan.Point
	for _, n := range ns {
		last := max(ctx-n, 0)
		ps := []int64{0}
		if mid := last/2 | 1; usesPos && mid < last {
			ps = append(ps, mid)
		}
		if usesPos && last > 0 {
			ps = append(ps, last)
		}
		for _, pos := range ps {
			pts = append(pts, plan.Point{N: n, Pos: pos, Len: pos + n})
		}
	}
	return pts
}

func pointText(p plan.Point, usesN, usesPos bool) string {
	switch {
	case usesPos:
		return fmt.Sprintf("n=%d pos=%d", p.N, p.Pos)
	case usesN:
		return fmt.Sprintf("n=%d", p.N)
	}
	return ""
}
