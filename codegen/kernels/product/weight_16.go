package product

import "dsac/codegen"

func openF16(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return func(step int) [4]codegen.I32 { return [4]codegen.I32(w[4*step:]) }
}

// openBF16: f16 holds values of bf16 exactly from 2^-14 to its largest number; smaller ones
// are rounded to multiples of 2^-24, larger ones become infinity.
func openBF16(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	return func(step int) (out [4]codegen.I32) {
		for a := range out {
			x := w[4*step+a]
			out[a] = k.PackH2(x.Shl(16).AsF32(), x.And(0xffff0000).AsF32()).Bits()
		}
		return out
	}
}
