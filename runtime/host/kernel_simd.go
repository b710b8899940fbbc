//go:build goexperiment.simd && amd64

package host

import "simd/archsimd"

// lanes is the number of activation rows in a panel: two registers of four values.
const lanes = 8

var hasFMA = archsimd.X86.AVX2() && archsimd.X86.FMA()

func wide(k int, a []float64, lda int, b []float64, ldb int, sums []float64) {
	if !hasFMA {
		plainWide(k, a, lda, b, ldb, sums)
		return
	}
	a0, a1, a2, a3 := a[:k], a[lda:][:k], a[2*lda:][:k], a[3*lda:][:k]
	s := (*[4 * lanes]float64)(sums)
	c00, c01 := archsimd.LoadFloat64x4((*[4]float64)(s[0:])), archsimd.LoadFloat64x4((*[4]float64)(s[4:]))
	c10, c11 := archsimd.LoadFloat64x4((*[4]float64)(s[8:])), archsimd.LoadFloat64x4((*[4]float64)(s[12:]))
	c20, c21 := archsimd.LoadFloat64x4((*[4]float64)(s[16:])), archsimd.LoadFloat64x4((*[4]float64)(s[20:]))
	c30, c31 := archsimd.LoadFloat64x4((*[4]float64)(s[24:])), archsimd.LoadFloat64x4((*[4]float64)(s[28:]))
	o := 0
	for i, v := range a0 {
		row := (*[lanes]float64)(b[o:])
		b0, b1 := archsimd.LoadFloat64x4((*[4]float64)(row[0:4])), archsimd.LoadFloat64x4((*[4]float64)(row[4:8]))
		x := archsimd.BroadcastFloat64x4(v)
		c00, c01 = x.MulAdd(b0, c00), x.MulAdd(b1, c01)
		x = archsimd.BroadcastFloat64x4(a1[i])
		c10, c11 = x.MulAdd(b0, c10), x.MulAdd(b1, c11)
		x = archsimd.BroadcastFloat64x4(a2[i])
		c20, c21 = x.MulAdd(b0, c20), x.MulAdd(b1, c21)
		x = archsimd.BroadcastFloat64x4(a3[i])
		c30, c31 = x.MulAdd(b0, c30), x.MulAdd(b1, c31)
		o += ldb
	}
	c00.Store((*[4]float64)(s[0:]))
	c01.Store((*[4]float64)(s[4:]))
	c10.Store((*[4]float64)(s[8:]))
	c11.Store((*[4]float64)(s[12:]))
	c20.Store((*[4]float64)(s[16:]))
	c21.Store((*[4]float64)(s[20:]))
	c30.Store((*[4]float64)(s[24:]))
	c31.Store((*[4]float64)(s[28:]))
	archsimd.ClearAVXUpperBits()
}
