package host

// The innermost loops. All sums run over k in order. All factors are float32 values held as
// float64, so their products are exact and it makes no difference whether a machine rounds
// between multiply and add: every version gives the same bits.

// narrow adds to sums[0:4] the products of four weight rows of k values, stored one after
// the other, with one activation row.
func narrow(k int, weight, x []float64, sums []float64) {
	w0, w1, w2, w3 := weight[:k], weight[k:][:k], weight[2*k:][:k], weight[3*k:][:k]
	s := (*[4]float64)(sums)
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	for i, v := range x[:k] {
		s0 += w0[i] * v
		s1 += w1[i] * v
		s2 += w2[i] * v
		s3 += w3[i] * v
	}
	s[0], s[1], s[2], s[3] = s0, s1, s2, s3
}

// plainWide adds to sums[r*lanes+l] the sum over i < k of a[r*lda+i] * b[i*ldb+l], for four
// rows r and all lanes l.
func plainWide(k int, a []float64, lda int, b []float64, ldb int, sums []float64) {
	for r := 0; r < 4; r += 2 {
		for l := 0; l < lanes; l += 4 {
			twoByFour(a[r*lda:][:k], a[(r+1)*lda:][:k], b[l:], ldb,
				(*[4]float64)(sums[r*lanes+l:]), (*[4]float64)(sums[(r+1)*lanes+l:]))
		}
	}
}

// twoByFour multiplies two rows with four lanes: eight sums stay in registers.
func twoByFour(a0, a1, b []float64, ldb int, s0, s1 *[4]float64) {
	c00, c01, c02, c03 := s0[0], s0[1], s0[2], s0[3]
	c10, c11, c12, c13 := s1[0], s1[1], s1[2], s1[3]
	a1 = a1[:len(a0)]
	o := 0
	for i, x := range a0 {
		y := a1[i]
		v := (*[4]float64)(b[o:])
		b0, b1, b2, b3 := v[0], v[1], v[2], v[3]
		c00 += x * b0
		c01 += x * b1
		c02 += x * b2
		c03 += x * b3
		c10 += y * b0
		c11 += y * b1
		c12 += y * b2
		c13 += y * b3
		o += ldb
	}
	s0[0], s0[1], s0[2], s0[3] = c00, c01, c02, c03
	s1[0], s1[1], s1[2], s1[3] = c10, c11, c12, c13
}
