package quant

import (
	"encoding/binary"
	"math"
)

// Encoders of the 256-value blocks; layouts in k23.go, k45.go, k68.go and table4.go.

// groupMins splits src into groups of n and returns, per group, the step of levels codes over
// its range and how far its minimum lies below 0 (a minimum above 0 counts as 0).
func groupMins(src []float32, n, levels int) (steps, mins []float32) {
	for i := 0; i < len(src); i += n {
		lo, hi := bounds(src[i : i+n])
		lo, hi = min(lo, 0), max(hi, 0)
		steps, mins = append(steps, (hi-lo)/float32(levels)), append(mins, -lo)
	}
	return steps, mins
}

// groupScales returns, per group of n, the scale that puts the extreme value on code low.
func groupScales(src []float32, n int, low float32) []float32 {
	var scales []float32
	for i := 0; i < len(src); i += n {
		scales = append(scales, extreme(src[i:i+n])/low)
	}
	return scales
}

func encodeQ2K(dst []byte, src []float32) {
	clear(dst)
	steps, mins := groupMins(src, 16, 3)
	d, dmin := putHalf(dst[80:], extreme(steps)/15), putHalf(dst[82:], extreme(mins)/15)
	for k := range 16 {
		sc, m := nearest(steps[k], d, 0, 15), nearest(mins[k], dmin, 0, 15)
		dst[k] = byte(sc | m<<4)
		dl, ml := d*float32(sc), dmin*float32(m)
		n, g := k>>3, k&7
		for l := range 16 {
			q := nearest(src[16*k+l]+ml, dl, 0, 3)
			dst[16+32*n+16*(g&1)+l] |= byte(q << (g &^ 1))
		}
	}
}

func encodeQ3K(dst []byte, src []float32) {
	clear(dst)
	scales := groupScales(src, 16, -4)
	d := putHalf(dst[108:], extreme(scales)/-32)
	for k := range 16 {
		sc := nearest(scales[k], d, -32, 31)
		dl := d * float32(sc)
		u := sc + 32
		dst[96+k&7] |= byte(u & 15 << (4 * (k >> 3)))
		dst[104+k&3] |= byte(u >> 4 << (2 * (k >> 2)))
		n, g := k>>3, k&7
		for l := range 16 {
			q := nearest(src[16*k+l], dl, -4, 3) + 4
			dst[32+32*n+16*(g&1)+l] |= byte(q & 3 << (g &^ 1))
			dst[16*(g&1)+l] |= byte(q >> 2 << (4*n + g>>1))
		}
	}
}

// putScaleMin is the inverse of scaleMin; s starts as zeros.
func putScaleMin(s []byte, j int, sc, m int) {
	if j < 4 {
		s[j] |= byte(sc)
		s[j+4] |= byte(m)
		return
	}
	s[j+4] = byte(sc&15 | m&15<<4)
	s[j-4] |= byte(sc >> 4 << 6)
	s[j] |= byte(m >> 4 << 6)
}

func encodeQ4K(dst []byte, src []float32) {
	encode45(dst, src, 15, func(i, q int) {
		j, l := i>>5, i&31
		dst[16+32*(j>>1)+l] |= byte(q << (4 * (j & 1)))
	})
}

func encodeQ5K(dst []byte, src []float32) {
	encode45(dst, src, 31, func(i, q int) {
		j, l := i>>5, i&31
		dst[48+32*(j>>1)+l] |= byte(q & 15 << (4 * (j & 1)))
		dst[16+l] |= byte(q >> 4 << j)
	})
}

func encode45(dst []byte, src []float32, levels int, put func(i, q int)) {
	clear(dst)
	steps, mins := groupMins(src, 32, levels)
	d, dmin := putHalf(dst, extreme(steps)/63), putHalf(dst[2:], extreme(mins)/63)
	for j := range 8 {
		sc, m := nearest(steps[j], d, 0, 63), nearest(mins[j], dmin, 0, 63)
		putScaleMin(dst[4:16], j, sc, m)
		dl, ml := d*float32(sc), dmin*float32(m)
		for l := range 32 {
			put(32*j+l, nearest(src[32*j+l]+ml, dl, 0, levels))
		}
	}
}

func encodeQ6K(dst []byte, src []float32) {
	clear(dst)
	scales := groupScales(src, 16, -32)
	d := putHalf(dst[208:], extreme(scales)/-128)
	for i, v := range src {
		sc := nearest(scales[i>>4], d, -128, 127)
		dst[192+i>>4] = byte(sc)
		q := nearest(v, d*float32(sc), -32, 31) + 32
		n, t, l := i>>7, i>>5&3, i&31
		dst[64*n+32*(t&1)+l] |= byte(q & 15 << (4 * (t >> 1)))
		dst[128+32*n+l] |= byte(q >> 4 << (2 * t))
	}
}

func encodeQ8K(dst []byte, src []float32) {
	d := extreme(src) / -127
	binary.LittleEndian.PutUint32(dst, math.Float32bits(d))
	for g := range 16 {
		sum := 0
		for l := range 16 {
			q := nearest(src[16*g+l], d, -127, 127)
			dst[4+16*g+l] = byte(q)
			sum += q
		}
		binary.LittleEndian.PutUint16(dst[260+2*g:], uint16(sum))
	}
}

func encodeIQ4XS(dst []byte, src []float32) {
	clear(dst)
	scales := groupScales(src, 32, nl[0])
	d := putHalf(dst, extreme(scales)/-32)
	var hi uint16
	for j := range 8 {
		sc := nearest(scales[j], d, -32, 31)
		u := sc + 32
		dst[4+j>>1] |= byte(u & 15 << (4 * (j & 1)))
		hi |= uint16(u>>4) << (2 * j)
		dl := d * float32(sc)
		packNibbles(dst[8+16*j:], func(i int) int { return nearestIn(&nl, src[32*j+i], dl) })
	}
	binary.LittleEndian.PutUint16(dst[2:], hi)
}
