package quant

import "math"

// F16ToF32 converts an IEEE 754 half to float32; the result is exact.
func F16ToF32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	man := uint32(h & 0x3ff)
	switch exp {
	case 0:
		// man * 2^-24: the unit in the last place of a float32 just above 0.5 is 2^-24.
		f := math.Float32frombits(126<<23|man) - 0.5
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | man<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | man<<13)
}

// F32ToF16 rounds to the nearest half, ties to even; too large becomes infinity, and a NaN
// stays a (quiet) NaN with the top of its payload.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	b &= 1<<31 - 1
	switch {
	case b > 0xff<<23:
		return sign | 0x7e00 | uint16(b>>13)&0x3ff
	case b >= 0x477ff000: // 65520 = halfway between the largest half and 2^16
		return sign | 0x7c00
	case b >= 113<<23: // normal halves start at 2^-14
		b -= 112 << 23
		return sign | uint16((b+0xfff+b>>13&1)>>13)
	}
	// Subnormal: adding 0.5 lets the float32 adder round to a multiple of 2^-24.
	r := math.Float32frombits(b) + 0.5
	return sign | uint16(math.Float32bits(r)-126<<23)
}

// BF16ToF32 converts a bfloat16 (the top half of a float32); the result is exact.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to the nearest bfloat16, ties to even; a NaN stays a (quiet) NaN.
func F32ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&(1<<31-1) > 0xff<<23 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
