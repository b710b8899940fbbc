package kernels

import "dsac/codegen"

// The types with blocks of 256 (docs/spec/glm-dsa.md section 5.2).

// groupK returns d*scale and dmin*min of 32-value group g of a Q4_K or Q5_K block: 6-bit
// numbers in the 12 bytes at p+4.
func groupK(p codegen.Ptr, g codegen.I32) (d, m codegen.F32) {
	s := p.At(4)
	a, b, c := s.At(g).LdU8(), s.At(g.Add(4)).LdU8(), s.At(g.Sub(4).Max(0)).LdU8()
	first := g.Lt(4)
	sc := codegen.Select(first, a.And(63), b.And(15).Or(c.Shr(6).Shl(4)))
	mn := codegen.Select(first, b.And(63), b.Shr(4).Or(a.Shr(6).Shl(4)))
	return half(p, 0).Mul(sc.F32()), half(p, 2).Mul(mn.F32())
}

func affine(q codegen.I32, d, m codegen.F32) [4]codegen.F32 {
	return each(q, func(q codegen.I32) codegen.F32 { return q.F32().Mul(d).Sub(m) })
}

func fourQ4K(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	g, l := w.Shr(3), w.And(7)
	d, m := groupK(p, g)
	q := p.At(16).Elem(g.Shr(1), 32).Elem(l, 4).LdI32().Shr(g.And(1).Shl(2)).And(0x0f0f0f0f)
	return affine(q, d, m)
}

func fourQ5K(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	g, l := w.Shr(3), w.And(7)
	d, m := groupK(p, g)
	q := p.At(48).Elem(g.Shr(1), 32).Elem(l, 4).LdI32().Shr(g.And(1).Shl(2)).And(0x0f0f0f0f)
	h := p.At(16).Elem(l, 4).LdI32().Shr(g).And(0x01010101).Shl(4)
	return affine(q.Or(h), d, m)
}

func fourQ6K(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	n, c, l := w.Shr(5), w.Shr(3).And(3), w.And(7)
	low := load4(p.Elem(n, 64).Elem(c.And(1), 32).Elem(l, 4), 2).Shr(c.Shr(1).Shl(2)).And(0x0f0f0f0f)
	high := load4(p.At(128).Elem(n, 32).Elem(l, 4), 2).Shr(c.Shl(1)).And(0x03030303).Shl(4)
	scale := p.At(192).Elem(n, 8).Elem(c, 2).At(l.Shr(2)).LdS8()
	d := half(p, 208).Mul(scale.F32())
	return each(low.Or(high), func(q codegen.I32) codegen.F32 { return q.Sub(32).F32().Mul(d) })
}

func fourIQ4XS(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	g := w.Shr(3)
	low := p.At(4).At(g.Shr(1)).LdU8().Shr(g.And(1).Shl(2)).And(15)
	high := p.At(2).LdU16().Shr(g.Shl(1)).And(3).Shl(4)
	d := half(p, 0).Mul(low.Or(high).Sub(32).F32())
	q := nibble4(p.At(8).Elem(g, 16), 4, w.And(7))
	level := lookup(nlLevels)
	return each(q, func(q codegen.I32) codegen.F32 { return level(q).Mul(d) })
}

// Q2_K and Q3_K: groups of 16; group g of half n has its codes in bits 2(g>>1) of 16 bytes.

func fourQ2K(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	n, g, l := w.Shr(5), w.Shr(2).And(7), w.And(3)
	scales := p.Elem(n, 8).At(g).LdU8()
	d, m := half(p, 80).Mul(scales.And(15).F32()), half(p, 82).Mul(scales.Shr(4).F32())
	q := p.At(16).Elem(n, 32).Elem(g.And(1), 16).Elem(l, 4).LdI32().Shr(g.And(6)).And(0x03030303)
	return affine(q, d, m)
}

func fourQ3K(k *codegen.K, p codegen.Ptr, w codegen.I32) [4]codegen.F32 {
	n, g, l := w.Shr(5), w.Shr(2).And(7), w.And(3)
	at := g.And(1)
	low := load4(p.At(32).Elem(n, 32).Elem(at, 16).Elem(l, 4), 1).Shr(g.And(6)).And(0x03030303)
	// A clear bit of the mask subtracts 4: codes are 0 to 7 less 4.
	high := load4(p.Elem(at, 16).Elem(l, 4), 2).Shr(n.Shl(2).Add(g.Shr(1))).And(0x01010101).Shl(2)
	d := half(p, 108).Mul(scaleQ3K(p, n, g).F32())
	return each(low.Or(high), func(q codegen.I32) codegen.F32 { return q.Sub(4).F32().Mul(d) })
}

// scaleQ3K returns the signed 6-bit scale of group g of half n.
func scaleQ3K(p codegen.Ptr, n, g codegen.I32) codegen.I32 {
	lo := p.At(96).At(g).LdU8().Shr(n.Shl(2)).And(15)
	group := n.Shl(3).Add(g)
	hi := p.At(104).At(g.And(3)).LdU8().Shr(group.Shr(2).Shl(1)).And(3)
	return lo.Or(hi.Shl(4)).Sub(32)
}
