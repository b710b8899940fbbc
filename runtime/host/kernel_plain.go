//go:build !goexperiment.simd || !amd64

package host

// lanes is the number of activation rows in a panel.
const lanes = 4

func wide(k int, a []float64, lda int, b []float64, ldb int, sums []float64) {
	plainWide(k, a, lda, b, ldb, sums)
}
