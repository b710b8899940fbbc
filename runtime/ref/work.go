package ref

// Work is scratch memory that an op may use while it runs. Each slot grows to the largest
// size asked for and is then reused, so that a warm call allocates nothing.
type Work struct {
	f32 [][]float32
	f64 [][]float64
	i32 [][]int32

	// Err is set by an op that cannot give a result, such as a choice among logits that hold a
	// NaN. Whoever called the op reports and clears it.
	Err error

	// Sampler is what op sample keeps between calls.
	Sampler any
}

// F32 returns slot s with n elements of undefined value.
func (w *Work) F32(s, n int) []float32 { return slot(&w.f32, s, n) }

// F64 returns slot s with n elements of undefined value.
func (w *Work) F64(s, n int) []float64 { return slot(&w.f64, s, n) }

// I32 returns slot s with n elements of undefined value.
func (w *Work) I32(s, n int) []int32 { return slot(&w.i32, s, n) }

func slot[E any](pool *[][]E, s, n int) []E {
	for len(*pool) <= s {
		*pool = append(*pool, nil)
	}
	if cap((*pool)[s]) < n {
		(*pool)[s] = make([]E, n)
	}
	return (*pool)[s][:n]
}
