package host

import "unsafe"

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

// A panel is up to `lanes` rows stored element by element: panel[i][l] is element i of row l.

// plainWide adds to sums[r][l] the product of row r of a, which has len(panel) values from
// a[r*stride] on, and row l of the panel, for four rows r.
func plainWide(a []float64, stride int, panel [][lanes]float64, sums *[4][lanes]float64) {
	k := len(panel)
	for r := 0; r < 4; r += 2 {
		twoRows(a[r*stride:][:k], a[(r+1)*stride:][:k], panel, &sums[r], &sums[r+1])
	}
}

// asLanes views v as rows of lanes values.
func asLanes(v []float64) [][lanes]float64 {
	return unsafe.Slice((*[lanes]float64)(unsafe.Pointer(unsafe.SliceData(v))), len(v)/lanes)
}
