package quant

import (
	"encoding/binary"
	"math"
)

// Types whose 4-bit codes index a table of values (spec sections 5.1 and 5.2).

// nl holds the 16 levels of IQ4_NL and IQ4_XS, for a scale of 1.
var nl = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

// fp4 holds twice the 16 values of E2M1; mxScale has the matching half.
var fp4 = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

// mxScale returns 2^(e-128); for e = 0 and 1 these are float32 denormals.
func mxScale(e byte) float32 {
	if e < 2 {
		return math.Float32frombits(1 << 21 << e)
	}
	return math.Float32frombits(uint32(e-1) << 23)
}

func decodeIQ4NL[F float](dst []F, src []byte) {
	for len(dst) >= 32 && len(src) >= 18 {
		y, b := (*[32]F)(dst), (*[18]byte)(src)
		decodeNibbles(y, (*[16]byte)(b[2:]), half(b[:]), &nl)
		dst, src = dst[32:], src[18:]
	}
}

func decodeMXFP4[F float](dst []F, src []byte) {
	for len(dst) >= 32 && len(src) >= 17 {
		y, b := (*[32]F)(dst), (*[17]byte)(src)
		decodeNibbles(y, (*[16]byte)(b[1:]), mxScale(b[0]), &fp4)
		dst, src = dst[32:], src[17:]
	}
}

func decodeIQ4XS[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 136 {
		b := (*[136]byte)(src)
		d, hi := half(b[:]), binary.LittleEndian.Uint16(b[2:])
		for j := range 8 {
			lo := b[4+j>>1] >> (4 * (j & 1)) & 15
			ls := int(lo) | int(hi>>(2*j)&3)<<4
			decodeNibbles((*[32]F)(dst[32*j:]), (*[16]byte)(b[8+16*j:]), d*float32(ls-32), &nl)
		}
		dst, src = dst[256:], src[136:]
	}
}

// decodeNibbles writes 32 values table[q]*d; low nibbles first, high ones 16 further.
func decodeNibbles[F float](y *[32]F, qs *[16]byte, d float32, table *[16]float32) {
	for j, q := range qs {
		y[j] = F(table[q&15] * d)
		y[j+16] = F(table[q>>4] * d)
	}
}
