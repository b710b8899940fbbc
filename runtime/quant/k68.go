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
			for i := 0; i < 32; i += 8 { // eight bytes at a time; scales change every sixteen
				la, lb, hi := binary.LittleEndian.Uint64(ql[i:]), binary.LittleEndian.Uint64(ql[i+32:]), binary.LittleEndian.Uint64(qh[i:])
				s := (*[7]float32)(sc[i>>4:])
				scale8((*[8]F)(y[i:]), la&nibbles|hi&pairs<<4, s[0], &ints6)
				scale8((*[8]F)(y[i+32:]), lb&nibbles|hi>>2&pairs<<4, s[2], &ints6)
				scale8((*[8]F)(y[i+64:]), la>>4&nibbles|hi>>4&pairs<<4, s[4], &ints6)
				scale8((*[8]F)(y[i+96:]), lb>>4&nibbles|hi>>6&pairs<<4, s[6], &ints6)
			}
		}
		dst, src = dst[256:], src[210:]
	}
}

// Masks for eight bytes at a time: the low nibble and the low two bits of each.
const (
	nibbles = 0x0f0f0f0f0f0f0f0f
	pairs   = 0x0303030303030303
)

// scale8 writes d times the table's values for the eight bytes of q, lowest first.
func scale8[F float](y *[8]F, q uint64, d float32, table *[256]float32) {
	for k := range y {
		y[k] = F(d * table[byte(q)])
		q >>= 8
	}
}

// decodeQ8K: a float32 scale and 256 int8; the trailing sums are for integer dot products.
func decodeQ8K[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 292 {
		y, b := (*[256]F)(dst), (*[292]byte)(src)
		d := math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
		for j, q := range (*[256]byte)(b[4:]) {
			y[j] = F(d * ints8[q])
		}
		dst, src = dst[256:], src[292:]
	}
}
