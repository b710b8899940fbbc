package ref

import (
	"encoding/binary"
	"fmt"
	"math"

	"dsac/runtime/plan"
	"dsac/runtime/quant"
)

// halfRows: h = x rounded to f16, see plan.HalfWidth. A row that holds an infinity keeps
// scale 1. Operands: x (may be a column selection), h; a row of h takes as many rows of x,
// one after the other, as there are to one.
func halfRows(c *Call) {
	x := &c.Args[0]
	per := x.Inner() / c.Args[1].Inner()
	h := c.Args[1]
	h.Cols = per * x.Cols
	lo, hi := c.span(1)
	for i := lo; i < hi; i++ {
		row := c.fresh(1)[:h.Cols]
		for j := range per {
			copy(row[j*x.Cols:], c.read(0, i*per+j))
		}
		h.setHalves(i, row)
	}
}

// setHalves stores v as row i of half_rows, tail and all.
func (a *Arg) setHalves(i int, v []float32) {
	scale := halfScale(v)
	dst := a.Data[i*a.rowBytes:][:a.rowBytes]
	clear(dst)
	for j, e := range v {
		binary.LittleEndian.PutUint16(dst[plan.HalfBytes*j:], a.round(e/scale))
	}
	binary.LittleEndian.PutUint32(dst[plan.HalfBytes*plan.HalfScale(len(v)):], math.Float32bits(scale))
}

// halfScale returns the power of two that a row is divided by.
func halfScale(row []float32) float32 {
	var largest float64
	for _, v := range row {
		if a := math.Abs(float64(v)); a > largest {
			largest = a
		}
	}
	if largest < plan.HalfBig || math.IsInf(largest, 0) {
		return 1
	}
	_, e := math.Frexp(largest) // below 2^e
	return float32(math.Ldexp(1, e-14))
}

// Halves returns a, rows of half_rows, as the rows of cols values that they stand for.
func (a Arg) Halves(cols int) (Arg, error) {
	if a.Type != quant.F16 || a.Cols != a.Width || a.Width != plan.HalfWidth(cols) {
		return a, fmt.Errorf("%s rows of %d elements, want f16 rows of %d, as half_rows makes them of %d values", a.Type, a.Cols, plan.HalfWidth(cols), cols)
	}
	a.Cols, a.halves = cols, true
	return a, nil
}

// scale returns the scale of row i, for other rows than those of half_rows 1.
func (a *Arg) scale(i int) float32 {
	if !a.halves {
		return 1
	}
	row := a.Data[i*a.rowBytes+plan.HalfBytes*plan.HalfScale(a.Cols):]
	return math.Float32frombits(uint32(row[0]) | uint32(row[1])<<8 | uint32(row[2])<<16 | uint32(row[3])<<24)
}
