package quant

import (
	"encoding/binary"
	"math"
)

func decodeF32[F float](dst []F, src []byte) {
	for i := range dst {
		dst[i] = F(math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:])))
	}
}

func decodeF16[F float](dst []F, src []byte) {
	src = src[:2*len(dst)]
	for i := range dst {
		h := uint32(src[2*i]) | uint32(src[2*i+1])<<8
		if h&0x7c00-0x400 < 0x7800 { // normal: only the exponent's bias changes
			dst[i] = F(math.Float32frombits(h&0x8000<<16 | (h&0x7fff<<13 + 112<<23)))
			continue
		}
		dst[i] = F(F16ToF32(uint16(h)))
	}
}

func decodeBF16[F float](dst []F, src []byte) {
	for i := range dst {
		dst[i] = F(BF16ToF32(binary.LittleEndian.Uint16(src[2*i:])))
	}
}

// half reads the fp16 at the start of b.
func half(b []byte) float32 { return F16ToF32(binary.LittleEndian.Uint16(b)) }
