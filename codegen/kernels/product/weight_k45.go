package product

import (
	"dsac/codegen"
	"dsac/runtime/quant/repack"
)

// scales45 are those of a lane, by scale number, see scaleOf.
//
// A value is d*sc*q - dmin*m. With v = 1024 + q or 1024 + 16q as the nibbles come,
// v*mul + off = sc*q is exact in f16 (at most 63*31, eleven bits), and so is the difference to
// whole, the integer next to dmin*m/d; times d less what whole leaves of dmin*m is rounded once.
// off = -1024 mul is made again for every half of a chunk, which saves registers.
type scales45 struct {
	mul, whole, rest [4]codegen.H2
	d                [2]codegen.H2 // by row
	off              [2]codegen.H2
	half             int // of the unit that off is for
}

// openScales45 prepares the scales of runs t (pair 0), runs t+4 (pair 1), or both.
func openScales45(k *codegen.K, lo, hi codegen.I32, pairs ...int) *scales45 {
	s := &scales45{half: -1}
	own := hi.Shr(16)
	fields := [8]codegen.I32{lo.Field(0, 6), lo.Field(6, 6), lo.Field(12, 6), lo.Field(18, 6),
		k.FunnelR(lo, hi, 24).Field(0, 6), k.FunnelR(lo, hi, 30).Field(0, 6), hi.Field(4, 6), hi.Field(10, 6)}
	for row := range 2 { // lanes have d, dmin of row g, then of row g+8
		half := codegen.ShflIdx(own, k.Lane().And(28).Or(2*row))
		d, dmin := half.FromF16(), codegen.ShflIdx(own, k.Lane().And(28).Or(2*row+1)).FromF16()
		inverse := d.Rcp()
		s.d[row] = dup(k, half)
		for _, pair := range pairs {
			i := 2*pair + row
			sc := fields[i].Mul(0x10001).Or(h1024).AsH2().Sub(halves(k, 0x6400))
			if row == 1 {
				sc = sc.Mul(halves(k, 0x2c00))
			}
			s.mul[i] = sc
			m := dmin.Mul(fields[4+i].F32())
			whole := m.Mul(inverse).Add(0.5).Floor().Min(2047).Max(0) // of d = 0 any number
			s.whole[i] = round(k, whole)
			s.rest[i] = round(k, whole.Fma(d, m.Neg()))
		}
	}
	return s
}

func (s *scales45) value(k *codegen.K, v codegen.H2, step, a int) codegen.I32 {
	if s.half != step>>1 {
		s.half = step >> 1
		for row := range s.off {
			s.off[row] = s.mul[scaleOf(step, row)].Mul(halves(k, 0xe400)) // -1024
		}
	}
	i := scaleOf(step, a)
	return v.Fma(s.mul[i], s.off[a&1]).Sub(s.whole[i]).Fma(s.d[a&1], s.rest[i]).Bits()
}

func openQ4K(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return partsQ4K(k, w, 0, 1)
}

// partsQ4K is openQ4K for steps with the scales of some pairs.
func partsQ4K(k *codegen.K, w []codegen.I32, pairs ...int) func(step int) [4]codegen.I32 {
	s := openScales45(k, w[16], w[17], pairs...)
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			out[a] = s.value(k, pick(k, w[step].Shr(a>>1*8), 0xf000f<<(a&1*4)), step, a)
		}
		return out
	}
}

func openQ5K(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return partsQ5K(k, w, 0, 1)
}

// partsQ5K is openQ5K for steps with the scales of some pairs.
func partsQ5K(k *codegen.K, w []codegen.I32, pairs ...int) func(step int) [4]codegen.I32 {
	s := openScales45(k, w[20], w[21], pairs...)
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			v := fifth(k, w[step], w[16+step>>2], step&3, a)
			out[a] = s.value(k, v, step, a)
		}
		return out
	}
}

// fifth joins nibbles and fifth bits: 1024 + q, 1024 + 16q for odd places.
func fifth(k *codegen.K, low, high codegen.I32, step, a int) codegen.H2 {
	to := 4 + a&1*4
	v := pick(k, low.Shr(a>>1*8), 0xf000f<<(a&1*4))
	return k.Lop3(moved(high, repack.HighBit[step][a]-to), 0x10001<<to, v.Bits(), 0xea).AsH2()
}
