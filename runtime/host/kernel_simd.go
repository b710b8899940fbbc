//go:build goexperiment.simd && amd64

package host

import "simd/archsimd"

// lanes is the number of rows in a panel: two registers of four values.
const lanes = 8

var hasFMA = archsimd.X86.AVX2() && archsimd.X86.FMA()

func wide(a []float64, stride int, panel [][lanes]float64, sums *[4][lanes]float64) {
	if !hasFMA {
		plainWide(a, stride, panel, sums)
		return
	}
	k := len(panel)
	a0, a1, a2, a3 := a[:k], a[stride:][:k], a[2*stride:][:k], a[3*stride:][:k]
	c00, c01 := load(&sums[0])
	c10, c11 := load(&sums[1])
	c20, c21 := load(&sums[2])
	c30, c31 := load(&sums[3])
	for i := range panel {
		b0, b1 := load(&panel[i])
		x := archsimd.BroadcastFloat64x4(a0[i])
		c00, c01 = x.MulAdd(b0, c00), x.MulAdd(b1, c01)
		x = archsimd.BroadcastFloat64x4(a1[i])
		c10, c11 = x.MulAdd(b0, c10), x.MulAdd(b1, c11)
		x = archsimd.BroadcastFloat64x4(a2[i])
		c20, c21 = x.MulAdd(b0, c20), x.MulAdd(b1, c21)
		x = archsimd.BroadcastFloat64x4(a3[i])
		c30, c31 = x.MulAdd(b0, c30), x.MulAdd(b1, c31)
	}
	store(&sums[0], c00, c01)
	store(&sums[1], c10, c11)
	store(&sums[2], c20, c21)
	store(&sums[3], c30, c31)
	archsimd.ClearAVXUpperBits()
}

func load(v *[lanes]float64) (lo, hi archsimd.Float64x4) {
	return archsimd.LoadFloat64x4((*[4]float64)(v[:4])), archsimd.LoadFloat64x4((*[4]float64)(v[4:]))
}

func store(v *[lanes]float64, lo, hi archsimd.Float64x4) {
	lo.Store((*[4]float64)(v[:4]))
	hi.Store((*[4]float64)(v[4:]))
}

// twoRows is for machines without the instructions.
func twoRows(a0, a1 []float64, panel [][lanes]float64, s0, s1 *[lanes]float64) {
	for l := range lanes {
		c0, c1 := s0[l], s1[l]
		for i := range panel {
			c0 += a0[i] * panel[i][l]
			c1 += a1[i] * panel[i][l]
		}
		s0[l], s1[l] = c0, c1
	}
}
