//go:build !goexperiment.simd || !amd64

package host

// lanes is the number of rows in a panel. Two rows by three lanes is the largest block whose
// sums, factors and products all stay in the sixteen floating-point registers of amd64.
const lanes = 3

func wide(a []float64, stride int, panel [][lanes]float64, sums *[4][lanes]float64) {
	plainWide(a, stride, panel, sums)
}

func twoRows(a0, a1 []float64, panel [][lanes]float64, s0, s1 *[lanes]float64) {
	c00, c01, c02 := s0[0], s0[1], s0[2]
	c10, c11, c12 := s1[0], s1[1], s1[2]
	a0, a1 = a0[:len(panel)], a1[:len(panel)]
	for i := range panel {
		x, y, b := a0[i], a1[i], &panel[i]
		b0, b1, b2 := b[0], b[1], b[2]
		c00 += x * b0
		c01 += x * b1
		c02 += x * b2
		c10 += y * b0
		c11 += y * b1
		c12 += y * b2
	}
	s0[0], s0[1], s0[2] = c00, c01, c02
	s1[0], s1[1], s1[2] = c10, c11, c12
}
