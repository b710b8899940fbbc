package product

import (
	"dsac/codegen"
	"dsac/runtime/quant/repack"
)

// apartForm is a unit for one row of x or two, see stream_apart.go. Its parts, each of the same
// number of chunks, have scales of their own for each group.
type apartForm struct {
	parts int
	code  func(step, a int) codegen.H2 // q * 2^-24, or q * 2^-20 for odd places
	// adds prepares row g, or g+8 (down = 1), of a part. The function that it returns adds to
	// a sum what groups t and t+4 come to: codes has the sums of their codes times x, x has
	// those of x times apartScale.
	adds func(part, down int) func(codes, x [2]codegen.F32, to codegen.F32) codegen.F32
}

// oddScale is what codes at odd places are more than those at even ones, which are those of
// row g. Sums are in units of apartScale, those of row g+8 of oddScale times that.
const oddScale = 16

// apart: d * sum_j(sc_j * codes_j) - dmin * sum_j(m_j * x_j).
func (u *whole) apart() *apartForm {
	d, dmin := u.factors()
	return &apartForm{parts: 1, code: u.code, adds: func(_, down int) func(codes, x [2]codegen.F32, to codegen.F32) codegen.F32 {
		sc := [2]codegen.F32{u.scale(down), u.scale(2 + down)}
		m := [2]codegen.F32{u.minimum(down), u.minimum(2 + down)}
		return func(codes, x [2]codegen.F32, to codegen.F32) codegen.F32 {
			to = d[down].Fma(sc[1].Fma(codes[1], sc[0].Mul(codes[0])), to)
			return dmin[down].Neg().Fma(m[1].Fma(x[1], m[0].Mul(x[0])), to)
		}
	}}
}

func apartQ4K(k *codegen.K, w []codegen.I32) *apartForm { return wholeQ4K(k, w).apart() }
func apartQ5K(k *codegen.K, w []codegen.I32) *apartForm { return wholeQ5K(k, w).apart() }

// apartQ6K: d * sum_j(sc_j * (codes_j - 32*x_j)), for each half of a unit.
func apartQ6K(k *codegen.K, w []codegen.I32) *apartForm {
	d := [2]codegen.F32{w[26].AsH2().Lo(), w[26].AsH2().Hi()}
	return &apartForm{
		parts: 2,
		code:  func(step, a int) codegen.H2 { return sixth(k, w, step, a, mask(w[step].Shr(a>>1*8), 15<<(a&1*4))) },
		adds: func(part, down int) func(codes, x [2]codegen.F32, to codegen.F32) codegen.F32 {
			scales := w[24+part].Xor(0x80808080) // plus 128
			sc := func(i int) codegen.F32 {
				return k.Prmt(scales, 0x4b000000, 0x7440|i).AsF32().Sub(1<<23 + 128)
			}
			first, second := sc(down), sc(2+down)
			mid := [2]float64{-32, -32 * oddScale}[down]
			return func(codes, x [2]codegen.F32, to codegen.F32) codegen.F32 {
				v := first.Mul(x[0].Fma(mid, codes[0]))
				return d[down].Fma(second.Fma(x[1].Fma(mid, codes[1]), v), to)
			}
		},
	}
}

// sixth joins the low four bits of a pair of codes, shifted as they are, and the upper two.
func sixth(k *codegen.K, w []codegen.I32, step, a int, low codegen.I32) codegen.H2 {
	to := 4 + a&1*4
	return k.Lop3(moved(w[16+step>>1], repack.HighPair[step&1][a]-to), 0x30003<<to, low, 0xea).AsH2()
}
