package product

import (
	"dsac/codegen"
	"dsac/runtime/quant/repack"
)

// whole is a unit of Q4_K or Q5_K for few rows. A value of these types is d*sc*q - dmin*m with
// integers sc, q and m. Products sc*q are exact in f16 (at most 63*31, eleven bits), so a warp
// adds up whole numbers times x over the unit and applies d once to the sum; minima need only
// the sums of x over each 32 columns, see stage:
//
//	sum(value*x) = d * sum(sc*q * x) - dmin * sum(m * sum32(x))
//
// Codes are taken as they lie, as subnormal halves: a mask and a product make two elements. For
// one or two rows of x not even the product is needed, see stream_apart.go.
type whole struct {
	k      *codegen.K
	lo, hi codegen.I32                  // 6-bit scales from bit 0, minima from bit 24, d or dmin from bit 48
	code   func(step, a int) codegen.H2 // q * 2^-24, or q * 2^-20 for odd places
	mul    [4]codegen.H2                // as scaleOf numbers them: 32*sc, and 2*sc for row g+8
}

// wholeScale is what sums of a whole unit are multiplied by.
const wholeScale = 1 << 19

// factors returns d and dmin of rows g and g+8, of which each lane of a quad has one.
func (u *whole) factors() (d, dmin [2]codegen.F32) {
	own := u.hi.Shr(16)
	half := func(i int) codegen.F32 { return codegen.ShflIdx(own, u.k.Lane().And(28).Or(i)).FromF16() }
	for row := range 2 {
		d[row], dmin[row] = half(2*row), half(2*row+1)
	}
	return d, dmin
}

// prepare makes the scales for operand.
func (u *whole) prepare() {
	k := u.k
	for row, to := range [2]int{32, 2} {
		sc := pair6(k, u.lo.Shr(6*row), h1024).AsH2().Fma(halves(k, halfOf(to)), halves(k, 0x8000|halfOf(1024*to)))
		u.mul[row], u.mul[row+2] = dup(k, sc.Bits()), dupHi(k, sc.Bits())
	}
}

// operand gives A of a step: sc*q * 2^-19.
func (u *whole) operand(step int) (out [4]codegen.I32) {
	for a := range out {
		out[a] = u.code(step, a).Mul(u.mul[scaleOf(step, a)]).Bits()
	}
	return out
}

// minima gives A for the sums of x: m * 2^-24 of groups t and t+4, twice.
func (u *whole) minima() (out [4]codegen.I32) {
	for row := range 2 {
		m := pair6(u.k, u.k.FunnelR(u.lo, u.hi, 24+6*row), 0)
		out[row], out[row+2] = m, m
	}
	return out
}

// scale returns number i of the scales, as scaleOf numbers them.
func (u *whole) scale(i int) codegen.F32 { return six(u.k, u.lo.Shr(6*i), 0) }

// minimum returns number i of the minima, times 16 for row g+8, as its codes are.
func (u *whole) minimum(i int) codegen.F32 {
	to := i & 1 * 4
	if at := 24 + 6*i - to; at < 32 {
		return six(u.k, u.k.FunnelR(u.lo, u.hi, at), to)
	} else {
		return six(u.k, u.hi.Shr(at-32), to)
	}
}

// six makes a number of six bits of w, from bit `from` on.
func six(k *codegen.K, w codegen.I32, from int) codegen.F32 {
	return k.Lop3(w, 0x3f<<from, 0x4b000000, 0xea).AsF32().Sub(1 << 23)
}

// pair6 puts the six bits at 0 and those at 12 into the low bits of two halves that hold more.
func pair6(k *codegen.K, w codegen.I32, more int) codegen.I32 {
	return k.Lop3(w.Shl(4), 0x3f0000, k.Lop3(w, 0x3f, more, 0xea), 0xea)
}

// mask returns the bits of w of two codes.
func mask(w codegen.I32, bits int) codegen.I32 { return w.And(bits<<16 | bits) }

func wholeQ4K(k *codegen.K, w []codegen.I32) *whole {
	return &whole{k: k, lo: w[16], hi: w[17], code: func(step, a int) codegen.H2 {
		return mask(w[step].Shr(a>>1*8), 15<<(a&1*4)).AsH2()
	}}
}

func wholeQ5K(k *codegen.K, w []codegen.I32) *whole {
	return &whole{k: k, lo: w[20], hi: w[21], code: func(step, a int) codegen.H2 {
		to := 4 + a&1*4
		low := mask(w[step].Shr(a>>1*8), 15<<(a&1*4))
		high := moved(w[16+step>>2], repack.HighBit[step&3][a]-to)
		return k.Lop3(high, 0x10001<<to, low, 0xea).AsH2()
	}}
}
