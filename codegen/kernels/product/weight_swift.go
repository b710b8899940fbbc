package product

import (
	"dsac/codegen"
	"dsac/runtime/quant"
)

// swift opens units of types in fewer instructions than format.open, where its kernels would
// spend most of their time on that: what rows of x they have does not pay for it. Scales are
// rounded to f16 before they meet the codes, as those of Q6_K always are.
var swift = map[quant.Type]func(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32{
	quant.Q4_K: func(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
		return openSwift(k, w[16], w[17], 8, func(step, a int) codegen.H2 {
			return pick(k, w[step].Shr(a>>1*8), 0xf000f<<(a&1*4))
		})
	},
	quant.Q5_K: func(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
		return openSwift(k, w[20], w[21], 16, func(step, a int) codegen.H2 {
			return fifth(k, w[step], w[16+step>>2], step&3, a)
		})
	},
}

// openQuick opens a unit the swift way where there is one.
func (f *format) openQuick(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	if open := swift[f.Type]; open != nil {
		return open(k, w)
	}
	return f.open(k, w)
}

// openSwift: a value is (q-mid)*(d*sc) + (mid*d*sc - dmin*m), both brackets of scales rounded;
// mid is the middle of the codes, so that what is rounded is as small as the values are. code
// gives 1024 + q, for odd places 1024 + 16q. The scales of a lane are four pairs of six bits, sc
// in the low 24 of the 48 bits of lo and hi, m in the others; the upper half of hi is d or dmin
// of row g or g+8.
func openSwift(k *codegen.K, lo, hi codegen.I32, mid int, code func(step, a int) codegen.H2) func(step int) [4]codegen.I32 {
	own := hi.Shr(16)
	number := func(w codegen.I32) codegen.F32 { // of six bits
		return k.Lop3(w, 0x3f, 0x4b000000, 0xea).AsF32().Sub(1 << 23)
	}
	var scale, centre [4]codegen.H2
	for row := range 2 {
		d := codegen.ShflIdx(own, k.Lane().And(28).Or(2*row)).FromF16()
		dmin := codegen.ShflIdx(own, k.Lane().And(28).Or(2*row+1)).FromF16()
		for i := row; i < 4; i += 2 {
			sc := d.Mul(number(lo.Shr(6 * i)))
			bits := hi.Shr(max(0, 6*i-8))
			if i < 2 {
				bits = k.FunnelR(lo, hi, 24+6*i)
			}
			m := dmin.Mul(number(bits))
			p := k.PackH2(sc, sc.Fma(float64(mid), m.Neg())).Bits()
			scale[i], centre[i] = dup(k, p), dupHi(k, p)
		}
	}
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			i := scaleOf(step, a)
			out[a] = centred(k, code(step, a), a, mid).Fma(scale[i], centre[i]).Bits()
		}
		return out
	}
}
