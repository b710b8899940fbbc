package quant

import "encoding/binary"

// The 32-value blocks of spec section 5.1. In the 4- and 5-bit ones byte j holds value j in
// its low nibble and value j+16 in its high one.

func decodeQ4_0[F float](dst []F, src []byte) {
	for len(dst) >= 32 && len(src) >= 18 {
		y, b := (*[32]F)(dst), (*[18]byte)(src)
		d := half(b[:])
		for j, q := range b[2:] {
			y[j] = F(float32(int(q&15)-8) * d)
			y[j+16] = F(float32(int(q>>4)-8) * d)
		}
		dst, src = dst[32:], src[18:]
	}
}

func decodeQ4_1[F float](dst []F, src []byte) {
	for len(dst) >= 32 && len(src) >= 20 {
		y, b := (*[32]F)(dst), (*[20]byte)(src)
		d, m := half(b[:]), half(b[2:])
		for j, q := range b[4:] {
			y[j] = F(float32(float32(q&15)*d) + m)
			y[j+16] = F(float32(float32(q>>4)*d) + m)
		}
		dst, src = dst[32:], src[20:]
	}
}

func decodeQ5_0[F float](dst []F, src []byte) {
	for len(dst) >= 32 && len(src) >= 22 {
		y, b := (*[32]F)(dst), (*[22]byte)(src)
		d, qh := half(b[:]), binary.LittleEndian.Uint32(b[2:])
		for j, q := range b[6:] {
			lo := uint32(q&15) | qh>>j&1<<4
			hi := uint32(q>>4) | qh>>(j+16)&1<<4
			y[j] = F(float32(int32(lo)-16) * d)
			y[j+16] = F(float32(int32(hi)-16) * d)
		}
		dst, src = dst[32:], src[22:]
	}
}

func decodeQ5_1[F float](dst []F, src []byte) {
	for len(dst) >= 32 && len(src) >= 24 {
		y, b := (*[32]F)(dst), (*[24]byte)(src)
		d, m, qh := half(b[:]), half(b[2:]), binary.LittleEndian.Uint32(b[4:])
		for j, q := range b[8:] {
			lo := uint32(q&15) | qh>>j&1<<4
			hi := uint32(q>>4) | qh>>(j+16)&1<<4
			y[j] = F(float32(float32(int32(lo))*d) + m)
			y[j+16] = F(float32(float32(int32(hi))*d) + m)
		}
		dst, src = dst[32:], src[24:]
	}
}

func decodeQ8_0[F float](dst []F, src []byte) {
	for len(dst) >= 32 && len(src) >= 34 {
		y, b := (*[32]F)(dst), (*[34]byte)(src)
		d := half(b[:])
		for j, q := range b[2:] {
			y[j] = F(ints8[q] * d)
		}
		dst, src = dst[32:], src[34:]
	}
}
