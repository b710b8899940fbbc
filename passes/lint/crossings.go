package lint

import (
	"slices"

	"dsac/runtime/plan"
)

// maxCrossings bounds the points that crossings adds: a compiled plan has none, a plan with
// more is decided at the first of them.
const maxCrossings = 64

// crossings returns the points between the corners at which a range whose start moves passes
// an end of another range that is in use at the same time. Ranges that start at fixed bytes
// grow with their symbol, so that the corners decide; one that moves may meet another for some
// values in the middle only: a row that is read by a fixed number, a window that slides over a
// buffer.
func (u *unit) crossings(rows, ctx int64) []plan.Point {
	var out []plan.Point
	add := func(n, pos int64) {
		pt := plan.Point{N: n, Pos: pos, Len: pos + n}
		if pos <= ctx-n && len(out) < maxCrossings && !slices.Contains(u.points, pt) && !slices.Contains(out, pt) {
			out = append(out, pt)
		}
	}
	for _, list := range u.usesByCluster() {
		for _, moving := range list {
			if moving.lo.K == 0 {
				continue
			}
			for _, other := range list {
				if !other.meets(&moving) {
					continue
				}
				for _, pt := range u.points {
					moving.crosses(&other, plan.SymPos, pt, 0, ctx-pt.N, func(pos int64) { add(pt.N, pos) })
					moving.crosses(&other, plan.SymN, pt, 1, rows, func(n int64) { add(n, pt.Pos) })
				}
			}
		}
	}
	return out
}

// crosses calls f at and beside each value of sym, strictly between lo and hi, at which an end
// of a passes one of b: ranges that touch there overlap on one side of it.
func (a *rangeUse) crosses(b *rangeUse, sym plan.SymID, pt plan.Point, lo, hi int64, f func(int64)) {
	for _, x := range [...]plan.Lin{a.lo, a.hi} {
		for _, y := range [...]plan.Lin{b.lo, b.hi} {
			at, exact, ok := meetAt(x, y, sym, pt)
			if !ok || at < lo || at >= hi || exact && at == lo {
				continue
			}
			for v := max(at-1, lo); v <= min(at+1, hi); v++ {
				f(v)
			}
		}
	}
}

// rangeUse is an operand's range in bytes of its region, the storage that it lies in, and the
// steps between which that storage is in use.
type rangeUse struct {
	lo, hi      plan.Lin
	extent      place
	first, last int32
}

// meets says whether two ranges may hold the same bytes at the same time.
func (a *rangeUse) meets(b *rangeUse) bool {
	return a.first <= b.last && b.first <= a.last && a.extent.lo < b.extent.hi && b.extent.lo < a.extent.hi
}

// usesByCluster lists the ranges of the clusters that have one with a moving start, each once,
// in the order of clusters and steps.
func (u *unit) usesByCluster() [][]rangeUse {
	moves := make([]bool, len(u.extent))
	first, last := map[int32]int32{}, map[int32]int32{} // steps, by root
	u.operands(func(step int32, _ uint32, o *plan.Operand) {
		if c := u.cluster[o.Buf]; c != none && o.Lo.K != 0 {
			moves[c] = true
		}
		r := u.m.root[o.Buf]
		if _, ok := first[r]; !ok {
			first[r] = step
		}
		last[r] = step
	})
	if !slices.Contains(moves, true) {
		return nil
	}
	out := make([][]rangeUse, len(u.extent))
	seen := map[rangeUse]bool{}
	u.operands(func(_ int32, _ uint32, o *plan.Operand) {
		c := u.cluster[o.Buf]
		if c == none || !moves[c] {
			return
		}
		r, at := u.m.root[o.Buf], u.m.place[o.Buf]
		use := rangeUse{lo: o.Lo, hi: o.Hi, extent: u.m.place[r], first: first[r], last: last[r]}
		if o.Hi == plan.Whole {
			use.lo, use.hi = plan.Lin{}, plan.Fixed(at.hi-at.lo)
		}
		use.lo.C += at.lo
		use.hi.C += at.lo
		if !seen[use] {
			seen[use] = true
			out[c] = append(out[c], use)
		}
	})
	return out
}

// meetAt returns the value of sym at which a and b are equal, rounded down, and whether it is
// that exactly, when the other symbol is as at pt; ok is false if there is none or every value
// is one.
func meetAt(a, b plan.Lin, sym plan.SymID, pt plan.Point) (x int64, exact, ok bool) {
	ca, ka := along(a, sym, pt)
	cb, kb := along(b, sym, pt)
	if ka == kb {
		return 0, false, false
	}
	num, den := cb-ca, ka-kb
	x = num / den
	exact = x*den == num
	if !exact && (num < 0) != (den < 0) {
		x--
	}
	return x, exact, true
}

// along writes l as c + k*sym.
func along(l plan.Lin, sym plan.SymID, pt plan.Point) (c, k int64) {
	switch {
	case l.Sym == sym:
		return l.C, l.K
	case l.Sym == plan.SymLen && sym == plan.SymPos:
		return l.C + l.K*pt.N, l.K
	case l.Sym == plan.SymLen && sym == plan.SymN:
		return l.C + l.K*pt.Pos, l.K
	}
	return l.At(pt), 0
}
