package kernels

import "dsac/codegen"

// storeType is an element type that activations are stored as.
type storeType struct {
	size  int
	store func(k *codegen.K, p codegen.Ptr, xs []codegen.F32) // 1, 2 or 4 neighbours
}

// storeTypes: rounded once, to nearest even.
var storeTypes = map[string]storeType{
	"i32":  {4, func(k *codegen.K, p codegen.Ptr, xs []codegen.F32) { p.StF32s(xs...) }}, // copied, bit for bit
	"f32":  {4, func(k *codegen.K, p codegen.Ptr, xs []codegen.F32) { p.StF32s(xs...) }},
	"f16":  {2, halves(func(k *codegen.K, a, b codegen.F32) codegen.I32 { return k.PackH2(a, b).Bits() })},
	"bf16": {2, halves((*codegen.K).PackB2)},
}

func halves(pack func(k *codegen.K, a, b codegen.F32) codegen.I32) func(k *codegen.K, p codegen.Ptr, xs []codegen.F32) {
	return func(k *codegen.K, p codegen.Ptr, xs []codegen.F32) {
		if len(xs) == 1 {
			p.StU16(pack(k, xs[0], xs[0]))
			return
		}
		var words []codegen.I32
		for i := 0; i < len(xs); i += 2 {
			words = append(words, pack(k, xs[i], xs[i+1]))
		}
		p.StI32s(words...)
	}
}
