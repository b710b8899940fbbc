package product

import "dsac/codegen"

// Sums of x over groups of columns of a unit, which take the place of what codes are off: those of
// 32 columns for the minima of whole units, divided by sumScale so that they fit f16, as a
// rounded half and a half with the rest; they are the B operand of one step for all minima of a
// unit. Where groups are told apart those of 16 columns, times apartScale.
//
//	whole: unit u, row n, t = 0..3: 8 bytes at (u*slots + n)*32 + 8t: groups t and t+4, then their rests
//	apart: 16 bytes at (u*slots + n)*64 + 16t: groups t and t+4 of the first half, then of the second
const (
	sumScale   = 32
	sumBytes   = 32 // of a unit and row
	apartScale = 1.0 / (1 << 24)
	apartBytes = 64
)

// sumPlace finds where the sums of run i of a row go. Four neighbouring lanes have a group, the
// lanes that differ in bit 4 groups t and t+4. One lane stores for each two groups, or for each half
// of one.
func (s *stage) sumPlace(i, row codegen.I32, inside codegen.Pred) codegen.Ptr {
	unit, t := i.Shr(5).Mul(s.slots).Add(row), i.Shr(2).And(3)
	if s.apart {
		at := t.Shl(4).Add(i.And(2).Shl(2)).Add(i.And(16).Shr(2))
		return s.sums.Elem(unit, apartBytes).At(at).When(inside.And(i.And(1).Eq(0)))
	}
	return s.sums.Elem(unit, sumBytes).Elem(t, 8).When(inside.And(i.And(16 | 3).Eq(0)))
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
	if s.apart {
		to.StF32(sum.Mul(apartScale))
		return
	}
	sum = sum.Add(codegen.ShflXor(sum, 2)).Mul(1.0 / sumScale)
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
