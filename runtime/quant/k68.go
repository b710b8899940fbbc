package quant

import (
	"encoding/binary"
	"math"
)

// decodeQ6K: 256 values in two halves of four runs of 32; one int8 scale per 16 values
// (spec section 5.2).
func decodeQ6K[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 210 {
		b := (*[210]byte)(src)
		d := half(b[208:])
		for n := range 2 {
			y := (*[128]F)(dst[128*n:])
			ql, qh := (*[64]byte)(b[64*n:]), (*[32]byte)(b[128+32*n:])
			var sc [8]float32
			for i, s := range (*[8]byte)(b[192+8*n:]) {
				sc[i] = d * float32(int8(s))
			}
			for h := range 2 { // the two 16-value parts of each run have scales of their own
				s0, s1, s2, s3 := sc[h], sc[h+2], sc[h+4], sc[h+6]
				y, qh := y[16*h:], (*[16]byte)(qh[16*h:])
				y0, y1, y2, y3 := (*[16]F)(y), (*[16]F)(y[32:]), (*[16]F)(y[64:]), (*[16]F)(y[96:])
				la, lb := (*[16]byte)(ql[16*h:]), (*[16]byte)(ql[32+16*h:])
				for l, hi := range qh {
					a, b, hi := int32(la[l]), int32(lb[l]), int32(hi)
					y0[l] = F(s0 * float32(a&15+hi&3<<4-32))
					y1[l] = F(s1 * float32(b&15+hi&12<<2-32))
					y2[l] = F(s2 * float32(a>>4+hi&48-32))
					y3[l] = F(s3 * float32(b>>4+hi>>6<<4-32))
				}
			}
		}
		dst, src = dst[256:], src[210:]
	}
}

// decodeQ8K: a float32 scale and 256 int8; the trailing sums are for integer dot products.
func decodeQ8K[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 292 {
		y, b := (*[256]F)(dst), (*[292]byte)(src)
		d := math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
		for j, q := range (*[256]byte)(b[4:]) {
			y[j] = F(d * float32(int8(q)))
		}
		dst, src = dst[256:], src[292:]
	}
}
