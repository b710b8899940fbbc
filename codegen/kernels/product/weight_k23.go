package product

import (
	"dsac/codegen"
	"dsac/runtime/quant/repack"
)

// pairOf returns a pair of two-bit codes, in bits 0, 1 and 16, 17; w are the words with them.
func pairOf(w []codegen.I32, step, a int) codegen.I32 {
	return moved(w[step>>1], repack.HighPair[step&1][a]).And(0x30003)
}

// openQ2K: a value is d*sc*q - dmin*m, of four that q may choose. Each is rounded to f16 once,
// when a step first needs those of its half of the unit.
func openQ2K(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	var values [2]*[4][2]codegen.H2 // by half of a unit, and scale: those of 0 and 1, of 2 and 3
	of := func(h int) *[4][2]codegen.H2 {
		if values[h] != nil {
			return values[h]
		}
		values[h] = &[4][2]codegen.H2{}
		for i := range values[h] {
			d, dmin := w[10+i&1].FromF16(), w[10+i&1].Shr(16).FromF16()
			scale := d.Mul(w[8+h].Field(8*i, 4).F32())
			off := dmin.Mul(w[8+h].Field(8*i+4, 4).F32()).Neg()
			v := func(q float64) codegen.F32 { return scale.Fma(k.F32(q), off) }
			values[h][i] = [2]codegen.H2{k.PackH2(off, v(1)), k.PackH2(v(2), v(3))}
		}
		return values[h]
	}
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			p := pairOf(w, step, a)
			bytes := p.Or(p.Shr(8)).Mul(0x22).Add(0x1010) // 2q and 2q+1 for both columns
			v := of(step >> 3)[scaleOf(step, a)]
			out[a] = k.Prmt(v[0].Bits(), v[1].Bits(), bytes)
		}
		return out
	}
}

// openQ3K: a value is d*sc*(q-4), with d*sc rounded to f16 when a step first needs it.
func openQ3K(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	var scales [2]*[4]codegen.H2
	t := k.Lane().And(3)
	up := t.And(1).Mul(16).Add(t.Shr(1).Mul(2)) // the lane's high bits of scales start there
	of := func(h int) *[4]codegen.H2 {
		if scales[h] != nil {
			return scales[h]
		}
		scales[h] = &[4]codegen.H2{}
		for row := range 2 {
			d, high := w[15].Shr(16*row).FromF16(), w[13+row].Shr(up)
			for i := row; i < 4; i += 2 {
				at := 8*h + 4*(i>>1)
				sc := w[12].Field(16*row+at, 4).Or(high.Field(at, 2).Shl(4)).Sub(32)
				scales[h][i] = round(k, sc.F32().Mul(d))
			}
		}
		return scales[h]
	}
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			third := moved(w[8+step>>2], repack.HighBit[step&3][a]-2)
			v := k.Lop3(third, 0x40004, pairOf(w, step, a).Or(h1024), 0xea).AsH2()
			out[a] = centred(k, v, 0, 4).Mul(of(step >> 3)[scaleOf(step, a)]).Bits()
		}
		return out
	}
}
