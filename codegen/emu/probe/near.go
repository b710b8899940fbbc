package main

import "math"

// near reports whether the GPU's result x and the emulator's y agree.
func (t tolerance) near(x, y uint64) bool {
	if x == y {
		return true
	}
	return t == ulp2 && ulps(uint32(x), uint32(y), 31, 0x7f800000) <= 2
}

// ulps is the distance of two floats in units in the last place; NaN is far from all numbers.
// sign is the number of the sign bit, inf the pattern above which NaNs lie for the widest format.
func ulps(a, b uint32, sign int, inf uint32) uint32 {
	order := func(u uint32) int64 {
		if u>>sign != 0 {
			return -int64(u &^ (1 << sign))
		}
		return int64(u)
	}
	nan := func(u uint32) bool { return u&^(1<<sign) > inf }
	if nan(a) != nan(b) {
		return math.MaxUint32
	}
	d := order(a) - order(b)
	if d < 0 {
		d = -d
	}
	return uint32(d)
}
