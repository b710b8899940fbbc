package host

import (
	"dsac/runtime/quant"
	"dsac/runtime/ref"
)

// scratch returns intermediate i as a float32 operand of shape [rows, inner, cols]. Its
// memory grows to the largest size asked for and is then reused.
func (e *engine) scratch(i, rows, inner, cols int) *ref.Arg {
	a := &e.tmp[i]
	n := rows * inner * cols
	if cap(a.F32) < n {
		a.F32 = make([]float32, n)
		a.Shape = make([]int, 3)
	}
	a.Type, a.F32 = quant.F32, a.F32[:n]
	a.Shape[0], a.Shape[1], a.Shape[2] = rows, inner, cols
	a.Rows, a.Width, a.Col, a.Cols = rows*inner, cols, 0, cols
	return a
}
