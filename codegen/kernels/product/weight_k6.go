package product

import "dsac/codegen"

// openQ6K: a value is d*sc*(q-32), with d*sc rounded to f16 first; sc changes in the middle of
// a unit. Scales are made when a step first needs them.
func openQ6K(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	var scales [2][4]codegen.H2
	var made [2][2]bool
	d := [2]codegen.F32{w[26].AsH2().Lo(), w[26].AsH2().Hi()}
	scale := func(step, a int) codegen.H2 {
		h, pair := step>>3, step>>1&1
		if !made[h][pair] {
			made[h][pair] = true
			for row := range d {
				i := 2*pair + row
				scales[h][i] = round(k, w[24+h].Shl(24-8*i).Sar(24).F32().Mul(d[row]))
			}
		}
		return scales[h][scaleOf(step, a)]
	}
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			v := sixth(k, w, step, a, pick(k, w[step].Shr(a>>1*8), 0xf000f<<(a&1*4)).Bits())
			out[a] = centred(k, v, a, 32).Mul(scale(step, a)).Bits()
		}
		return out
	}
}

// centred makes q - mid, exactly, from 1024 + q, or for odd places from 1024 + 16q.
func centred(k *codegen.K, v codegen.H2, a, mid int) codegen.H2 {
	if a&1 == 0 {
		return v.Sub(halves(k, halfOf(1024+mid)))
	}
	return v.Fma(halves(k, 0x2c00), halves(k, 0x8000|halfOf(64+mid)))
}
