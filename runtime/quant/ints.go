package quant

// Tables of small integers as float32: a load is faster than a conversion, and indexing an
// array of 256 by a byte needs no bounds check.
var (
	ints  [256]float32 // unsigned
	ints6 [256]float32 // 6 bits, less 32
	ints8 [256]float32 // two's complement
)

func init() {
	for i := range 256 {
		ints[i] = float32(i)
		ints6[i] = float32(i - 32)
		ints8[i] = float32(int8(i))
	}
}
