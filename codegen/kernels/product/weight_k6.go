package product

import (
	"dsac/codegen"
	"dsac/runtime/quant/repack"
)

// openQ6K: a value is d*sc*(q-32), with d*sc rounded to f16 first; sc changes in the middle of
// a unit.
func openQ6K(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	var scale [2][4]codegen.H2
	d := [2]codegen.F32{w[26].AsH2().Lo(), w[26].AsH2().Hi()}
	for h := range 2 {
		for a := range 4 {
			scale[h][a] = round(k, w[24+h].Shl(24-8*a).Sar(24).F32().Mul(d[a&1]))
		}
	}
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			to := 4 + a&1*4
			v := pick(k, w[step].Shr(a>>1*8), 0xf000f<<(a&1*4))
			v = k.Lop3(moved(w[16+step>>1], repack.HighPair[step&1][a]-to), 0x30003<<to, v.Bits(), 0xea).AsH2()
			out[a] = centred(k, v, a, 32).Mul(scale[step>>3][scaleOf(step, a)]).Bits()
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
