package ptx

// interval is a set of integers [lo, hi]; lo > hi is none. Bounds at or past infinity are not known.
type interval struct{ lo, hi int64 }

const infinity = int64(1) << 62

var everything = interval{-infinity, infinity}

func point(n int64) interval { return interval{n, n} }

func clampInf(n int64) int64 { return min(max(n, -infinity), infinity) }

func addInf(a, b int64) int64 {
	if a >= infinity || b >= infinity {
		return infinity
	}
	if a <= -infinity || b <= -infinity {
		return -infinity
	}
	return clampInf(a + b) // both below 2^62: no overflow
}

func mulInf(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p/b != a || p > infinity || p < -infinity || a >= infinity || a <= -infinity {
		if (a < 0) == (b < 0) {
			return infinity
		}
		return -infinity
	}
	return p
}

func (x interval) add(y interval) interval {
	return interval{addLow(x.lo, y.lo), addHigh(x.hi, y.hi)}
}

func addLow(a, b int64) int64 {
	if a <= -infinity || b <= -infinity {
		return -infinity
	}
	return addInf(a, b)
}

func addHigh(a, b int64) int64 {
	if a >= infinity || b >= infinity {
		return infinity
	}
	return addInf(a, b)
}

func (x interval) scale(k int64) interval {
	a, b := mulInf(x.lo, k), mulInf(x.hi, k)
	return interval{min(a, b), max(a, b)}
}

func (x interval) meet(y interval) interval { return interval{max(x.lo, y.lo), min(x.hi, y.hi)} }

func (x interval) join(y interval) interval {
	switch {
	case x.lo > x.hi:
		return y
	case y.lo > y.hi:
		return x
	}
	return interval{min(x.lo, y.lo), max(x.hi, y.hi)}
}

func (x interval) within(y interval) bool { return x.lo >= y.lo && x.hi <= y.hi }

func (x interval) empty() bool { return x.lo > x.hi }

// rangeOf is all values of a register of n bits, read as signed or unsigned. Unsigned 64-bit
// values above 2^62 count as infinity.
func rangeOf(n int, signed bool) interval {
	switch {
	case n >= 63:
		if signed {
			return everything
		}
		return interval{0, infinity}
	case signed:
		return interval{-1 << (n - 1), 1<<(n-1) - 1}
	}
	return interval{0, 1<<n - 1}
}
