package emu

import "math/bits"

func lane(m uint32) int { return bits.TrailingZeros32(m) & 31 }

func each1(d, a int, f func(x uint64) uint64) step {
	return func(w *warp, m uint32) {
		rd, ra := &w.r[d], &w.r[a]
		if m == fullMask {
			for l := range rd {
				rd[l] = f(ra[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			rd[l] = f(ra[l])
		}
	}
}

func each2(d, a, b int, f func(x, y uint64) uint64) step {
	return func(w *warp, m uint32) {
		rd, ra, rb := &w.r[d], &w.r[a], &w.r[b]
		if m == fullMask {
			for l := range rd {
				rd[l] = f(ra[l], rb[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			rd[l] = f(ra[l], rb[l])
		}
	}
}

func each3(d, a, b, e int, f func(x, y, z uint64) uint64) step {
	return func(w *warp, m uint32) {
		rd, ra, rb, re := &w.r[d], &w.r[a], &w.r[b], &w.r[e]
		if m == fullMask {
			for l := range rd {
				rd[l] = f(ra[l], rb[l], re[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			rd[l] = f(ra[l], rb[l], re[l])
		}
	}
}

func each4(d, a, b, e, g int, f func(x, y, z, v uint64) uint64) step {
	return func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			w.r[d][l] = f(w.r[a][l], w.r[b][l], w.r[e][l], w.r[g][l])
		}
	}
}
