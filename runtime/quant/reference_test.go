package quant

import (
	"encoding/binary"
	"math"
)

// reference computes value i of one block straight from the formulas of
// docs/spec/glm-dsa.md section 5, one value at a time.
var reference = map[Type]func(b []byte, i int) float32{
	F32:  func(b []byte, i int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) },
	F16:  func(b []byte, i int) float32 { return float32(slowHalf(u16(b))) },
	BF16: func(b []byte, i int) float32 { return math.Float32frombits(uint32(u16(b)) << 16) },
	Q4_0: func(b []byte, i int) float32 { return float32(nibble(b[2:], i)-8) * fp16(b) },
	Q4_1: func(b []byte, i int) float32 {
		p := float32(nibble(b[4:], i)) * fp16(b)
		return p + fp16(b[2:])
	},
	Q5_0: func(b []byte, i int) float32 {
		bit := int(binary.LittleEndian.Uint32(b[2:])>>i) & 1
		return float32(nibble(b[6:], i)+16*bit-16) * fp16(b)
	},
	Q5_1: func(b []byte, i int) float32 {
		bit := int(binary.LittleEndian.Uint32(b[4:])>>i) & 1
		p := float32(nibble(b[8:], i)+16*bit) * fp16(b)
		return p + fp16(b[2:])
	},
	Q8_0:   func(b []byte, i int) float32 { return float32(int8(b[2+i])) * fp16(b) },
	IQ4_NL: func(b []byte, i int) float32 { return levels[nibble(b[2:], i)] * fp16(b) },
	MXFP4: func(b []byte, i int) float32 {
		e2m1 := []float64{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}
		return float32(e2m1[nibble(b[1:], i)] * math.Ldexp(1, int(b[0])-128))
	},
	Q2_K: func(b []byte, i int) float32 {
		k, l := i/16, i%16
		n, g := k>>3, k&7
		q := b[16+32*n+16*(g&1)+l] >> (2 * (g >> 1)) & 3
		dl := fp16(b[80:]) * float32(b[k]&15)
		ml := fp16(b[82:]) * float32(b[k]>>4)
		p := dl * float32(q)
		return p - ml
	},
	Q3_K: func(b []byte, i int) float32 {
		k, l := i/16, i%16
		n, g := k>>3, k&7
		s := b[96:]
		lo := 0
		if k < 8 {
			lo = int(s[k]) & 15
		} else {
			lo = int(s[k-8]) >> 4
		}
		hi := int(s[8+(k&3)]) >> (2 * (k >> 2)) & 3
		at := 16*(g&1) + l
		q := int(b[32+32*n+at]) >> (2 * (g >> 1)) & 3
		if b[at]>>(4*n+(g>>1))&1 == 0 {
			q -= 4
		}
		dl := fp16(b[108:]) * float32((lo|hi<<4)-32)
		return dl * float32(q)
	},
	Q4_K: func(b []byte, i int) float32 {
		j, l := i/32, i%32
		q := int(b[16+32*(j/2)+l]) >> (4 * (j & 1)) & 15
		return affine(b, j, q)
	},
	Q5_K: func(b []byte, i int) float32 {
		j, l := i/32, i%32
		q := int(b[48+32*(j/2)+l])>>(4*(j&1))&15 | int(b[16+l]>>j&1)<<4
		return affine(b, j, q)
	},
	Q6_K: func(b []byte, i int) float32 {
		n, t, l := i/128, i/32%4, i%32
		lo := int(b[64*n+32*(t&1)+l])
		if t >= 2 {
			lo >>= 4
		}
		hi := int(b[128+32*n+l]) >> (2 * t) & 3
		dl := fp16(b[208:]) * float32(int8(b[192+8*n+2*t+(l>>4)]))
		return dl * float32((lo&15|hi<<4)-32)
	},
	Q8_K: func(b []byte, i int) float32 {
		return math.Float32frombits(binary.LittleEndian.Uint32(b)) * float32(int8(b[4+i]))
	},
	IQ4_XS: func(b []byte, i int) float32 {
		j, at := i/32, i%32
		ls := int(b[4+(j>>1)])>>(4*(j&1))&15 | int(u16(b[2:]))>>(2*j)&3<<4
		dl := fp16(b) * float32(ls-32)
		return dl * levels[nibble(b[8+16*j:], at)]
	},
}

var levels = []float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func u16(b []byte) uint16   { return uint16(b[0]) | uint16(b[1])<<8 }
func fp16(b []byte) float32 { return float32(slowHalf(u16(b))) }

// nibble i of 16 bytes: low ones first, then high ones.
func nibble(qs []byte, i int) int {
	if i < 16 {
		return int(qs[i]) & 15
	}
	return int(qs[i-16]) >> 4
}

func affine(b []byte, j, q int) float32 {
	s := b[4:]
	var sc, m int
	if j < 4 {
		sc, m = int(s[j])&63, int(s[j+4])&63
	} else {
		sc = int(s[j+4])&15 | int(s[j-4])>>6<<4
		m = int(s[j+4])>>4 | int(s[j])>>6<<4
	}
	d, dm := fp16(b)*float32(sc), fp16(b[2:])*float32(m)
	p := d * float32(q)
	return p - dm
}
