package product

import (
	"dsac/codegen"
	"dsac/runtime/quant"
)

// Types with blocks of 32: a lane has four scales per unit.

// halfOf returns the bits of a number as f16.
func halfOf(x int) int { return int(quant.F32ToF16(float32(x))) }

// scales4 repeats the four halves in two words.
func scales4(k *codegen.K, w []codegen.I32) [4]codegen.H2 {
	return [4]codegen.H2{dup(k, w[0]), dupHi(k, w[0]), dup(k, w[1]), dupHi(k, w[1])}
}

// openQ8: bytes are codes + 128.
func openQ8(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	d := scales4(k, w[8:])
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			v := bytePair(k, w[2*step+a>>1], a&1)
			out[a] = v.Sub(halves(k, halfOf(1024+128))).Mul(d[scaleOf(step, a)]).Bits()
		}
		return out
	}
}

// bytePair makes 1024 + b from bytes 2i and 2i+1 of w.
func bytePair(k *codegen.K, w codegen.I32, i int) codegen.H2 {
	return k.Prmt(w, h1024, []int{0x5150, 0x5352}[i]).AsH2()
}

// nibblesOf gives 1024 + q, or 1024 + 16q for odd places.
func nibblesOf(k *codegen.K, w []codegen.I32) func(step, a int) codegen.H2 {
	return func(step, a int) codegen.H2 { return pick(k, w[step].Shr(a>>1*8), 0xf000f<<(a&1*4)) }
}

func fifthsOf(k *codegen.K, w []codegen.I32) func(step, a int) codegen.H2 {
	return func(step, a int) codegen.H2 { return fifth(k, w[step], w[4], step, a) }
}

// symmetric: d*(q-mid).
func symmetric(k *codegen.K, v func(step, a int) codegen.H2, scales []codegen.I32, mid int) func(step int) [4]codegen.I32 {
	d := scales4(k, scales)
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			out[a] = centred(k, v(step, a), a, mid).Mul(d[scaleOf(step, a)]).Bits()
		}
		return out
	}
}

// affine: d*q + m; scales has a word with both for each.
func affine(k *codegen.K, v func(step, a int) codegen.H2, scales []codegen.I32) func(step int) [4]codegen.I32 {
	var d, m [4]codegen.H2
	for a := range d {
		d[a], m[a] = dup(k, scales[a]), dupHi(k, scales[a])
	}
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			i := scaleOf(step, a)
			out[a] = centred(k, v(step, a), a, 0).Fma(d[i], m[i]).Bits()
		}
		return out
	}
}

func open41(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return affine(k, nibblesOf(k, w), w[4:])
}

func open50(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return symmetric(k, fifthsOf(k, w), w[5:], 16)
}

func open51(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return affine(k, fifthsOf(k, w), w[5:])
}
