package product

import "dsac/codegen"

// Sums of x over the groups of 32 columns of a unit, which whole units need for their minima:
//
//	unit u, row n, t = 0..3: 8 bytes at (u*slots + n)*32 + 8t: groups t and t+4
//
// For up to apartRows rows they are two numbers, times apartScale. For more they are the B operand
// of one step for all minima of a unit: divided by sumScale so that they fit f16, as two rounded
// halves and two halves with the rest.
const (
	sumScale = 32
	sumBytes = 32 // of a unit and row

	apartScale = 1.0 / (1 << 24)
)

// sumPlace finds where the sums of run i of a row go. Four neighbouring lanes have a group, the
// lanes that differ in bit 4 groups t and t+4; one lane of each eight stores.
func (s *stage) sumPlace(i, row codegen.I32, inside codegen.Pred) codegen.Ptr {
	p := s.sums.Elem(i.Shr(5).Mul(s.slots).Add(row), sumBytes).Elem(i.Shr(2).And(3), 8)
	return p.When(inside.And(i.And(16 | 3).Eq(0)))
}

// putSums adds up runs of eight numbers, as they were rounded, over groups.
func (s *stage) putSums(k *codegen.K, to codegen.Ptr, w [4]codegen.I32) {
	var x []codegen.F32
	for _, v := range w {
		x = append(x, v.AsH2().Lo(), v.AsH2().Hi())
	}
	for n := len(x); n > 1; n /= 2 {
		for i := range n / 2 {
			x[i] = x[i].Add(x[i+n/2])
		}
	}
	sum := x[0].Add(codegen.ShflXor(x[0], 1))
	sum = sum.Add(codegen.ShflXor(sum, 2))
	if s.slots <= apartRows {
		sum = sum.Mul(apartScale)
		to.StF32x2([2]codegen.F32{sum, codegen.ShflXor(sum, 16)})
		return
	}
	sum = sum.Mul(1.0 / sumScale)
	other := codegen.ShflXor(sum, 16)
	rounded := k.PackH2(sum, other)
	rest := k.PackH2(sum.Sub(rounded.Lo()), other.Sub(rounded.Hi()))
	to.StI32x2([2]codegen.I32{rounded.Bits(), rest.Bits()})
}

// sumReader prepares a lane's address in the sums of a unit, as reader does.
func (s *stage) sumReader(k *codegen.K) codegen.I32 {
	n := k.Lane().Shr(2).And(min(8, s.slots) - 1)
	return n.Mul(sumBytes).Add(k.Lane().And(3).Mul(8))
}
