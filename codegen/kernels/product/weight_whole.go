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
// Codes are taken as they lie, as subnormal halves: a mask and a product make two elements.
type whole struct {
	operand func(step int) [4]codegen.I32 // A: sc*q * 2^-19
	minima  [4]codegen.I32                // A: m * 2^-24 of groups t and t+4, twice
	d       [2]codegen.F32                // of rows g and g+8
	dmin    [2]codegen.F32                // negative, times 2^(24-19) * sumScale
}

// wholeScale is what sums of a whole unit are multiplied by.
const wholeScale = 1 << 19

// openWhole prepares the scales; code gives the codes of a place, shifted as in package repack:
// q*2^-24, or q*2^-20 for odd places.
func openWhole(k *codegen.K, lo, hi codegen.I32, code func(step, a int) codegen.H2) *whole {
	u := &whole{}
	own := hi.Shr(16)
	for i := range 2 { // of row g, then of row g+8
		half := func(i int) codegen.F32 { return codegen.ShflIdx(own, k.Lane().And(28).Or(i)).FromF16() }
		u.d[i] = half(2 * i)
		u.dmin[i] = half(2*i + 1).Mul(-float64(sumScale << (24 - 19)))
	}
	var mul [4]codegen.H2 // as scaleOf numbers them: 32*sc, and 2*sc for row g+8
	for row, to := range [2]int{32, 2} {
		sc := pair6(k, lo.Shr(6*row), h1024).AsH2().Fma(halves(k, halfOf(to)), halves(k, 0x8000|halfOf(1024*to)))
		mul[row], mul[row+2] = dup(k, sc.Bits()), dupHi(k, sc.Bits())
		m := pair6(k, k.FunnelR(lo, hi, 24+6*row), 0)
		u.minima[row], u.minima[row+2] = m, m
	}
	u.operand = func(step int) (out [4]codegen.I32) {
		for a := range out {
			out[a] = code(step, a).Mul(mul[scaleOf(step, a)]).Bits()
		}
		return out
	}
	return u
}

// pair6 puts the six bits at 0 and those at 12 into the low bits of two halves that hold more.
func pair6(k *codegen.K, w codegen.I32, more int) codegen.I32 {
	return k.Lop3(w.Shl(4), 0x3f0000, k.Lop3(w, 0x3f, more, 0xea), 0xea)
}

// mask returns the bits of w of two codes.
func mask(w codegen.I32, bits int) codegen.I32 { return w.And(bits<<16 | bits) }

func wholeQ4K(k *codegen.K, w []codegen.I32) *whole {
	return openWhole(k, w[16], w[17], func(step, a int) codegen.H2 {
		return mask(w[step].Shr(a>>1*8), 15<<(a&1*4)).AsH2()
	})
}

func wholeQ5K(k *codegen.K, w []codegen.I32) *whole {
	return openWhole(k, w[20], w[21], func(step, a int) codegen.H2 {
		to := 4 + a&1*4
		low := mask(w[step].Shr(a>>1*8), 15<<(a&1*4))
		high := moved(w[16+step>>2], repack.HighBit[step&3][a]-to)
		return k.Lop3(high, 0x10001<<to, low, 0xea).AsH2()
	})
}
