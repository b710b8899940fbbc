package kernels

import (
	"dsac/codegen"
	"dsac/runtime/quant"
)

// blockType decodes GGUF blocks as they lie in the file (docs/spec/glm-dsa.md section 5). The
// operations and their order are those of runtime/quant, each rounded to f32, so that the
// values are equal bit for bit.
type blockType struct {
	elems, bytes int
	four         fourFunc
}

// fourFunc gives elements 4w..4w+3 of the block at p.
type fourFunc func(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32

// blockOf returns the type with that name, one of embedTypes. Blocks of plain numbers are four
// of them.
func blockOf(dtype string) blockType {
	t, err := quant.Parse(dtype)
	if err != nil || fours[dtype] == nil {
		panic("BUG: no blocks of " + dtype)
	}
	info, _ := t.Info()
	if info.Elems == 1 {
		return blockType{4, 4 * info.Bytes, fours[dtype]}
	}
	return blockType{info.Elems, info.Bytes, fours[dtype]}
}

// fours lists the decoders by type.
var fours = map[string]fourFunc{
	"f32":    func(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 { return p.LdF32x4() },
	"f16":    fourF16,
	"bf16":   fourBF16,
	"q8_0":   fourQ8_0,
	"q4_0":   nibbles(2, halfScale(0), minus(8)),
	"q4_1":   fourQ4_1,
	"q5_0":   fourQ5_0,
	"q5_1":   fourQ5_1,
	"iq4_nl": nibbles(2, halfScale(0), lookup(nlLevels)),
	"mxfp4":  nibbles(1, mxScale, lookup(fp4Levels)),
	"q2_k":   fourQ2K,
	"q3_k":   fourQ3K,
	"q4_k":   fourQ4K,
	"q5_k":   fourQ5K,
	"q6_k":   fourQ6K,
	"iq4_xs": fourIQ4XS,
}

// load4 reads 4 bytes at an address that is a multiple of align, the first in the low byte.
func load4(p codegen.Ptr, align int) codegen.I32 {
	switch {
	case align%4 == 0:
		return p.LdI32()
	case align%2 == 0:
		return p.LdU16().Or(p.At(2).LdU16().Shl(16))
	}
	w := p.LdU8()
	for i := 1; i < 4; i++ {
		w = w.Or(p.At(i).LdU8().Shl(8 * i))
	}
	return w
}

// half reads an f16.
func half(p codegen.Ptr, at int) codegen.F32 { return p.At(at).LdU16().FromF16() }

// each applies f to the four bytes of a word.
func each(word codegen.I32, f func(q codegen.I32) codegen.F32) (y [4]codegen.F32) {
	for i := range y {
		y[i] = f(word.Shr(8 * i).And(255))
	}
	return y
}

func fourF16(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	x := p.LdI32x2()
	return [4]codegen.F32{x[0].AsH2().Lo(), x[0].AsH2().Hi(), x[1].AsH2().Lo(), x[1].AsH2().Hi()}
}

func fourBF16(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	x := p.LdI32x2()
	return [4]codegen.F32{x[0].FromBF16(), x[0].Shr(16).FromBF16(), x[1].FromBF16(), x[1].Shr(16).FromBF16()}
}

func fourQ8_0(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	d := half(p, 0)
	return each(load4(p.At(2).Elem(w, 4), 2), func(q codegen.I32) codegen.F32 { return q.Shl(24).Sar(24).F32().Mul(d) })
}

// nibble4 returns 4-bit codes 4w..4w+3 of 32, one per byte: byte i of the 16 at p has code i
// in its low half and code i+16 in its high one.
func nibble4(p codegen.Ptr, align int, w codegen.I32) codegen.I32 {
	return load4(p.Elem(w.And(3), 4), align).Shr(w.Shr(2).Shl(2)).And(0x0f0f0f0f)
}

// nibbles decodes blocks of 32 codes that lie at byte at, times a scale.
func nibbles(at int, scale func(k *codegen.K, p codegen.Ptr) codegen.F32, value func(q codegen.I32) codegen.F32) fourFunc {
	return func(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
		d := scale(k, p)
		return each(nibble4(p.At(at), at, w), func(q codegen.I32) codegen.F32 { return value(q).Mul(d) })
	}
}

func halfScale(at int) func(k *codegen.K, p codegen.Ptr) codegen.F32 {
	return func(k *codegen.K, p codegen.Ptr) codegen.F32 { return half(p, at) }
}

// mxScale is 2^(e-128) of the first byte; for e = 0 and 1 it is a denormal.
func mxScale(k *codegen.K, p codegen.Ptr) codegen.F32 {
	e := p.LdU8()
	return codegen.Select(e.Lt(2), k.I32(1<<21).Shl(e), e.Sub(1).Shl(23)).AsF32()
}

func minus(n int) func(q codegen.I32) codegen.F32 {
	return func(q codegen.I32) codegen.F32 { return q.Sub(n).F32() }
}

// Levels that 4-bit codes stand for, as signed bytes.
var (
	nlLevels  = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
	fp4Levels = [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12} // twice the value
)

// lookup finds the level of a code in four registers.
func lookup(levels [16]int8) func(q codegen.I32) codegen.F32 {
	var words [4]uint32
	for i, l := range levels {
		words[i/4] |= uint32(uint8(l)) << (8 * (i % 4))
	}
	return func(q codegen.I32) codegen.F32 { return pick(q, words).Shl(24).Sar(24).F32() }
}

// pick returns byte q of 16 in four words, in its low byte.
func pick(q codegen.I32, words [4]uint32) codegen.I32 {
	k := codegen.KernelOf(q)
	selector := q.And(7)
	lo := k.Prmt(words[0], words[1], selector)
	hi := k.Prmt(words[2], words[3], selector)
	return codegen.Select(q.And(8).Ne(0), hi, lo)
}

func fourQ4_1(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	d, m := half(p, 0), half(p, 2)
	return each(nibble4(p.At(4), 4, w), func(q codegen.I32) codegen.F32 { return q.F32().Mul(d).Add(m) })
}

func fourQ5_0(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	d := half(p, 0)
	q := nibble4(p.At(6), 2, w).Or(fifth(load4(p.At(2), 2), w))
	return each(q, func(q codegen.I32) codegen.F32 { return q.Sub(16).F32().Mul(d) })
}

func fourQ5_1(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	d, m := half(p, 0), half(p, 2)
	q := nibble4(p.At(8), 4, w).Or(fifth(load4(p.At(4), 4), w))
	return each(q, func(q codegen.I32) codegen.F32 { return q.F32().Mul(d).Add(m) })
}

// fifth spreads bits 4w..4w+3 of high to bit 4 of the four bytes.
func fifth(high, w codegen.I32) codegen.I32 {
	b := high.Shr(w.Shl(2)).And(15)
	return b.Mul(0x00204081).And(0x01010101).Shl(4)
}
