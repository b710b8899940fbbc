package quant

import "encoding/binary"

// Q4_K and Q5_K, 256 values in eight groups of 32, each with a 6-bit scale and a 6-bit
// minimum packed into 12 bytes (spec section 5.2).

// scaleMin returns the scale and minimum of group j.
func scaleMin(s *[12]byte, j int) (sc, m byte) {
	if j < 4 {
		return s[j] & 63, s[j+4] & 63
	}
	return s[j+4]&15 | s[j-4]>>6<<4, s[j+4]>>4 | s[j]>>6<<4
}

func decodeQ4K[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 144 {
		y, b := (*[256]F)(dst), (*[144]byte)(src)
		d, dmin := half(b[:]), half(b[2:])
		s := (*[12]byte)(b[4:])
		for p := range 4 { // 32 bytes hold groups 2p (low nibbles) and 2p+1 (high)
			sc0, m0 := scaleMin(s, 2*p)
			sc1, m1 := scaleMin(s, 2*p+1)
			d0, min0 := d*float32(sc0), dmin*float32(m0)
			d1, min1 := d*float32(sc1), dmin*float32(m1)
			qs, y := (*[32]byte)(b[16+32*p:]), (*[64]F)(y[64*p:])
			for l, q := range qs {
				y[l] = F(float32(d0*ints[q&15]) - min0)
				y[l+32] = F(float32(d1*ints[q>>4]) - min1)
			}
		}
		dst, src = dst[256:], src[144:]
	}
}

func decodeQ5K[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 176 {
		y, b := (*[256]F)(dst), (*[176]byte)(src)
		d, dmin := half(b[:]), half(b[2:])
		s, qh := (*[12]byte)(b[4:]), (*[32]byte)(b[16:])
		for p := range 4 {
			sc0, m0 := scaleMin(s, 2*p)
			sc1, m1 := scaleMin(s, 2*p+1)
			d0, min0 := d*float32(sc0), dmin*float32(m0)
			d1, min1 := d*float32(sc1), dmin*float32(m1)
			qs, y := (*[32]byte)(b[48+32*p:]), (*[64]F)(y[64*p:])
			for l := 0; l < 32; l += 8 { // eight bytes at a time
				q, h := binary.LittleEndian.Uint64(qs[l:]), binary.LittleEndian.Uint64(qh[l:])>>(2*p)
				affine8((*[8]F)(y[l:]), q&nibbles|h&ones<<4, d0, min0)
				affine8((*[8]F)(y[l+32:]), q>>4&nibbles|h>>1&ones<<4, d1, min1)
			}
		}
		dst, src = dst[256:], src[176:]
	}
}

// ones masks the lowest bit of each of eight bytes.
const ones = 0x0101010101010101

// affine8 writes d*b - m for the eight bytes b of q, lowest first.
func affine8[F float](y *[8]F, q uint64, d, m float32) {
	for k := range y {
		y[k] = F(float32(d*ints[byte(q)]) - m)
		q >>= 8
	}
}
