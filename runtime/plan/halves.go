package plan

// Halves are rows of activations that op half_rows has rounded to f16 for products on tensor
// cores:
//
//	K values | zeros up to a multiple of 128 | scale, an f32 | zeros up to 64 more
//
// A row stands for its values times its scale, a power of two: 1, unless its largest magnitude
// is HalfBig or more; then the scale brings that into [HalfBig/2, HalfBig).
const (
	HalfBytes = 2       // of an element
	HalfBig   = 1 << 14 // magnitude from which rows are scaled, also by kernels that round x themselves
	HalfTail  = 64      // elements behind the values and their zeros
)

// HalfScale returns the number of the first of the two elements that hold the scale of a row of
// cols values.
func HalfScale(cols int) int { return (cols + 127) &^ 127 }

// HalfWidth returns the elements of a row of cols values.
func HalfWidth(cols int) int { return HalfScale(cols) + HalfTail }
