package main

import "math"

// near reports whether the GPU's result x and the emulator's y agree.
func (t tolerance) near(x, y uint64) bool {
	if x == y {
		return true
	}
	switch t {
	case ulp2:
		return ulps(uint32(x), uint32(y), 31, 0x7f800000) <= 2
	case half2:
		for i := 0; i < 32; i += 16 {
			a, b := uint32(x>>i)&0xffff, uint32(y>>i)&0xffff
			if ulps(a, b, 15, 0x7f80) > 2 {
				return false
			}
		}
		return x>>32 == y>>32
	case abs21:
		d := math.Abs(float64(math.Float32frombits(uint32(x))) - float64(math.Float32frombits(uint32(y))))
		return d <= 0x1p-20 || ulps(uint32(x), uint32(y), 31, 0x7f800000) <= 2
	case rel10:
		a, b := float64(math.Float32frombits(uint32(x))), float64(math.Float32frombits(uint32(y)))
		return math.Abs(a-b) <= 0x1p-10*math.Abs(b)
	}
	return false
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
