package quant

// Q2_K and Q3_K, 256 values in sixteen groups of 16 (spec section 5.2). Group k lies in half
// n = k>>3 at g = k&7; its two-bit codes are bits 2(g>>1) of 16 bytes of qs.

func decodeQ2K[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 84 {
		b := (*[84]byte)(src)
		d, dmin := half(b[80:]), half(b[82:])
		for k := range 16 {
			n, g := k>>3, k&7
			sc := b[k]
			dl, ml := d*float32(sc&15), dmin*float32(sc>>4)
			y, qs := (*[16]F)(dst[16*k:]), (*[16]byte)(b[16+32*n+16*(g&1):])
			shift := g &^ 1
			for l, q := range qs {
				y[l] = F(float32(dl*float32(q>>shift&3)) - ml)
			}
		}
		dst, src = dst[256:], src[84:]
	}
}

func decodeQ3K[F float](dst []F, src []byte) {
	for len(dst) >= 256 && len(src) >= 110 {
		b := (*[110]byte)(src)
		d := half(b[108:])
		for k := range 16 {
			n, g := k>>3, k&7
			dl := d * float32(scaleQ3K((*[12]byte)(b[96:]), k))
			y, qs := (*[16]F)(dst[16*k:]), (*[16]byte)(b[32+32*n+16*(g&1):])
			hm := (*[16]byte)(b[16*(g&1):])
			shift, bit := g&^1, 4*n+g>>1
			for l, q := range qs {
				// A clear bit of hmask subtracts 4.
				v := int(q>>shift&3) + int(hm[l]>>bit&1)<<2 - 4
				y[l] = F(dl * float32(v))
			}
		}
		dst, src = dst[256:], src[110:]
	}
}

// scaleQ3K returns the signed 6-bit scale of group k.
func scaleQ3K(s *[12]byte, k int) int {
	lo := s[k&7] >> (4 * (k >> 3)) & 15
	hi := s[8+k&3] >> (2 * (k >> 2)) & 3
	return int(lo|hi<<4) - 32
}
