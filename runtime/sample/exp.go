package sample

import "math"

// Weights are exp in units of 2^-32, computed so that host and device agree bit for bit: each
// product and each sum below is one float32 operation rounded to nearest even (mul.rn.f32 and
// add.rn.f32, never fma; the float32(...) around each keeps Go from fusing), the rest is
// integer arithmetic.
//
//	t = d * log2(e)                     d <= 0; t < -33 gives weight 0
//	n = floor(t),  f = t - n            f in [0, 1]; 1 when t is a tiny negative number
//	p = c0 + f*(c1 + f*(... + f*c6))    approximates 2^f, in [1, 2]
//	m = p * 2^23                        exact, an integer from 2^23 to 2^24
//	weight = m * 2^(n+9)                rounded half up when n+9 < 0
//
// The weight of d = 0 is exactly 2^32. Against exp(d), the relative error is under 1.2e-6
// (the rounding of t, which grows with |d|) beside the half unit of the last step.

// one is the weight of the largest logit.
const one = 1 << 32

const log2e = 1.4426950408889634 // rounded to float32 where it is used

// expCoef holds c0..c6: a polynomial for 2^f on [0, 1] with both ends exact.
var expCoef = [7]float32{
	1, 0x1.62e42cp-1, 0x1.ebfd6cp-3, 0x1.c6851p-5, 0x1.3d3bd4p-7, 0x1.451814p-10, 0x1.cacdf6p-13,
}

// weight returns round(2^32 * exp(d)) for d <= 0, 0 for -Inf.
func weight(d float32) uint64 {
	t := float32(d * log2e)
	if !(t >= -33) {
		return 0
	}
	n := int32(t) // toward zero
	if float32(n) > t {
		n--
	}
	f := float32(t - float32(n))
	p := expCoef[6]
	for i := 5; i >= 0; i-- {
		p = float32(p * f)
		p = float32(p + expCoef[i])
	}
	m := uint64(math.Float32bits(p)&0x7fffff | 0x800000) // p in [1, 2)
	if p >= 2 {
		m = 1 << 24
	}
	if n >= -9 {
		return m << (n + 9)
	}
	shift := uint32(-n - 9)
	return (m + 1<<(shift-1)) >> shift
}
