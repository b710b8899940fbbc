package product

import "dsac/codegen"

// Types whose 4-bit codes index a table of sixteen small integers (docs/spec/glm-dsa.md
// section 5). The table is four words of bytes, each value plus 128.

// Levels of IQ4_NL and IQ4_XS; twice the values of MXFP4.
var (
	levelsNL  = [16]int{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
	levelsFP4 = [16]int{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}
	levelsQ4  = [16]int{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}
)

// lookup gives the values of the codes of places 0 and 1 of a word, or of 2 and 3.
func lookup(k *codegen.K, table *[16]int, w codegen.I32) (out [2]codegen.H2) {
	var words [4]int
	for i, v := range table {
		words[i>>2] |= (v + 128) << (8 * (i & 3))
	}
	low := w.And(0x7777)
	a := k.Prmt(words[0], words[1], low)
	b := k.Prmt(words[2], words[3], low)
	both := k.Prmt(a, b, w.And(0x8888).Shr(1).Or(0x3210))
	for i := range out {
		out[i] = bytePair(k, both, i).Sub(halves(k, halfOf(1024+128)))
	}
	return out
}

// looked gives the A operand of a step: levels times scales.
func looked(k *codegen.K, table *[16]int, w codegen.I32, step int, scale [4]codegen.H2) (out [4]codegen.I32) {
	for i := range 2 {
		v := lookup(k, table, w.Shr(16*i))
		out[2*i] = v[0].Mul(scale[scaleOf(step, 0)]).Bits()
		out[2*i+1] = v[1].Mul(scale[scaleOf(step, 1)]).Bits()
	}
	return out
}

func open40(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	d := scales4(k, w[4:])
	return func(step int) [4]codegen.I32 { return looked(k, &levelsQ4, w[step], step, d) }
}

func openIQ4NL(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	d := scales4(k, w[4:])
	return func(step int) [4]codegen.I32 { return looked(k, &levelsNL, w[step], step, d) }
}

// openMX: scales are 2^(e-128), e a byte each; what f16 cannot hold becomes 0 or
// infinity.
func openMX(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	var d [4]codegen.H2
	for a := range d {
		e := w[4].Field(8*a, 8)
		d[a] = round(k, e.Max(1).Sub(1).Shl(23).AsF32())
	}
	return func(step int) [4]codegen.I32 { return looked(k, &levelsFP4, w[step], step, d) }
}

// openIQ4XS: 16 bytes of scales hold for rows g and g+8 each d, the high bits of eight 6-bit
// scales, and their low nibbles.
func openIQ4XS(k *codegen.K, w []codegen.I32) func(step int) [4]codegen.I32 {
	var scale [4]codegen.H2
	for a := range scale {
		head, low := w[16+a&1*2], w[17+a&1*2]
		j := k.Lane().And(3).Add(a >> 1 * 4)
		ls := low.Shr(j.Mul(4)).And(15).Or(head.Shr(j.Mul(2).Add(16)).And(3).Shl(4)).Sub(32)
		scale[a] = round(k, ls.F32().Mul(head.FromF16()))
	}
	return func(step int) [4]codegen.I32 { return looked(k, &levelsNL, w[step], step, scale) }
}
