package product

import (
	"dsac/codegen"
	"dsac/runtime/quant/repack"
)

// scales45 are those of a lane, by scale number, see scaleOf.
//
// A value is d*sc*q - dmin*m. The nibbles come as v = 1024 + q, or 1024 + 16q at odd places; with
// mul = sc, or sc/16, v*mul = over + sc*q with over = 1024sc, or 64sc. Now let off be over + dmin*m/d
// as f16 has it, an integer: v*mul - off is one too, and exact, as it is small (at most 63*15 more
// or less, and what off was rounded by, 16 at most). Times d less what is missing of dmin*m, rest, which is
// small as well, it is rounded once.
type scales45 struct {
	mul, off, rest [4]codegen.H2
	d              [2]codegen.H2 // by row
}

// largestMin bounds dmin*m/d, which is about 8sc in weights that are spread around zero, so that off
// is a number of f16; rest has what is above.
const largestMin = 960

// openScales45 prepares the scales of runs t (pair 0), runs t+4 (pair 1), or both.
func openScales45(k *codegen.K, lo, hi codegen.I32, pairs ...int) *scales45 {
	s := &scales45{}
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
			sc, m := fields[i].F32(), dmin.Mul(fields[4+i].F32())
			least := m.Mul(inverse).Min(largestMin).Max(0) // of d = 0 any number
			over := k.F32([]float64{1024, 64}[row])
			s.mul[i] = round(k, sc.Mul([]float64{1, 1.0 / 16}[row]))
			s.off[i] = round(k, sc.Fma(over, least).Neg())
			s.rest[i] = round(k, sc.Fma(over, s.off[i].Lo()).Neg().Fma(d, m.Neg()))
		}
	}
	return s
}

func (s *scales45) value(v codegen.H2, step, a int) codegen.I32 {
	i := scaleOf(step, a)
	return v.Fma(s.mul[i], s.off[i]).Fma(s.d[a&1], s.rest[i]).Bits()
}

func openQ4K(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return partsQ4K(k, w, 0, 1)
}

// partsQ4K is openQ4K for steps with the scales of some pairs.
func partsQ4K(k *codegen.K, w []codegen.I32, pairs ...int) func(step int) [4]codegen.I32 {
	s := openScales45(k, w[16], w[17], pairs...)
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			out[a] = s.value(pick(k, w[step].Shr(a>>1*8), 0xf000f<<(a&1*4)), step, a)
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
			out[a] = s.value(v, step, a)
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
