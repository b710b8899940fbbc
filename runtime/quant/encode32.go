package quant

import (
	"encoding/binary"
	"math"
)

// Encoders of the 32-value blocks; layouts in block32.go and table4.go.

// The symmetric ones put the extreme value on the most negative code, which has no positive
// counterpart.

func encodeQ4_0(dst []byte, src []float32) {
	d := putHalf(dst, extreme(src)/-8)
	packNibbles(dst[2:], func(j int) int { return nearest(src[j], d, -8, 7) + 8 })
}

func encodeQ4_1(dst []byte, src []float32) {
	lo, hi := bounds(src)
	d, m := putHalf(dst, (hi-lo)/15), putHalf(dst[2:], lo)
	packNibbles(dst[4:], func(j int) int { return nearest(src[j]-m, d, 0, 15) })
}

func encodeQ5_0(dst []byte, src []float32) {
	d := putHalf(dst, extreme(src)/-16)
	pack5(dst[2:], func(j int) int { return nearest(src[j], d, -16, 15) + 16 })
}

func encodeQ5_1(dst []byte, src []float32) {
	lo, hi := bounds(src)
	d, m := putHalf(dst, (hi-lo)/31), putHalf(dst[2:], lo)
	pack5(dst[4:], func(j int) int { return nearest(src[j]-m, d, 0, 31) })
}

func encodeQ8_0(dst []byte, src []float32) {
	d := putHalf(dst, abs32(extreme(src))/127)
	for j, v := range src {
		dst[2+j] = byte(nearest(v, d, -128, 127))
	}
}

func encodeIQ4NL(dst []byte, src []float32) {
	d := putHalf(dst, extreme(src)/nl[0])
	packNibbles(dst[2:], func(j int) int { return nearestIn(&nl, src[j], d) })
}

func encodeMXFP4(dst []byte, src []float32) {
	// The smallest power of two under which nothing is clipped: the largest code is 12.
	frac, exp := math.Frexp(float64(abs32(extreme(src))) / 12)
	if frac == 0.5 {
		exp--
	}
	dst[0] = byte(max(0, min(254, exp+128)))
	d := mxScale(dst[0])
	packNibbles(dst[1:], func(j int) int { return nearestIn(&fp4, src[j], d) })
}

func bounds(src []float32) (lo, hi float32) {
	lo, hi = src[0], src[0]
	for _, v := range src {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

func packNibbles(qs []byte, code func(j int) int) {
	for j := range 16 {
		qs[j] = byte(code(j) | code(j+16)<<4)
	}
}

// pack5 writes four bytes of fifth bits, then the nibbles.
func pack5(dst []byte, code func(j int) int) {
	var qh uint32
	for j := range 32 {
		qh |= uint32(code(j)>>4) << j
	}
	binary.LittleEndian.PutUint32(dst, qh)
	packNibbles(dst[4:], func(j int) int { return code(j) & 15 })
}
