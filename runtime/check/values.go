package check

import (
	"fmt"
	"math"

	"dsac/runtime/quant"
)

// comparison is one result of a step against the host's: its bytes [lo, hi).
type comparison struct {
	abs, rel float64
	size     sizer // of rows, where it is not the largest value
	lo, hi   int

	values, wrong int
	kind          Kind // of the first wrong value, "" if none is
	at            int  // its byte
	row, col      int
	got, want     float64
	allowed       float64
	lost          string // the host's first value that is NaN, "" if none is

	worst float64 // largest error, relative to the largest value of its row
	used  float64 // largest error as a part of what is allowed, where something is
}

func (c *comparison) run(l layout, got, want []byte) error {
	if !l.float() {
		c.exact(l, got, want)
		return nil
	}
	g, err := l.arg(got)
	if err != nil {
		return err
	}
	w, err := l.arg(want)
	if err != nil {
		return err
	}
	size := g.RowBytes()
	if size == 0 {
		return nil
	}
	elem := size / g.Width
	gr, wr := make([]float32, g.Width), make([]float32, g.Width)
	for row := c.lo / size; row*size < c.hi && row < g.Rows; row++ {
		first, end := max(0, c.lo-row*size)/elem, min(size, c.hi-row*size)/elem
		x, y := g.Row(row, gr), w.Row(row, wr)
		largest := largestOf(y[first:max(first, min(end, g.Width-l.tail))])
		largest = max(largest, c.size.of(row))
		for j := first; j < end; j++ {
			c.values++
			if y[j] != y[j] && c.lost == "" {
				c.lost = fmt.Sprintf("row %d column %d", row, j)
			}
			slack := c.abs + c.rel*largest
			if slack > 0 {
				slack += spacing(l.t, y[j])
			}
			at := row*size + j*elem
			if kind := c.value(x[j], y[j], slack, largest, poisoned(got[at:at+elem])); kind != "" {
				c.fail(kind, at, row, j, float64(x[j]), float64(y[j]), slack)
			}
		}
	}
	return nil
}

// value judges one value and keeps the largest error.
func (c *comparison) value(got, want float32, slack, largest float64, poison bool) Kind {
	if math.Float32bits(got) == math.Float32bits(want) || got == want {
		return ""
	}
	if got != got {
		if want != want {
			return ""
		}
		if poison {
			return Unwritten
		}
		return NotANum
	}
	d := math.Abs(float64(got) - float64(want))
	if largest > 0 && d > c.worst*largest {
		c.worst = d / largest
	}
	if slack > 0 && d > c.used*slack {
		c.used = d / slack
	}
	if d <= slack {
		return ""
	}
	return Differs
}

func (c *comparison) fail(kind Kind, at, row, col int, got, want, allowed float64) {
	if c.wrong++; c.wrong == 1 {
		c.kind, c.at, c.row, c.col, c.got, c.want, c.allowed = kind, at, row, col, got, want, allowed
	}
}

// exact compares integers and bytes, which have no tolerance.
func (c *comparison) exact(l layout, got, want []byte) {
	size := 1
	if !l.raw && l.t == quant.I32 {
		size = 4
	}
	for at := c.lo; at+size <= c.hi; at += size {
		c.values++
		if string(got[at:at+size]) == string(want[at:at+size]) {
			continue
		}
		kind, g, w := Differs, float64(got[at]), float64(want[at])
		if size == 4 {
			word := le.Uint32(got[at:])
			g, w = float64(int32(word)), float64(int32(le.Uint32(want[at:])))
			if word == poisonInt {
				kind = Unwritten
			}
		}
		width := 1
		if n := len(l.shape); n > 0 {
			width = max(1, l.shape[n-1])
		}
		c.fail(kind, at, at/size/width, at/size%width, g, w, 0)
	}
}

func (c *comparison) detail() string {
	what := ""
	switch c.kind {
	case Unwritten:
		what = "was not written"
	case NotANum:
		what = fmt.Sprintf("is NaN, want %.6g", c.want)
	default:
		what = fmt.Sprintf("is %.6g, want %.6g: off by %.3g, allowed %.3g", c.got, c.want, math.Abs(c.got-c.want), c.allowed)
	}
	s := fmt.Sprintf("row %d column %d %s", c.row, c.col, what)
	if c.wrong > 1 {
		s += fmt.Sprintf("; %d of %d values are wrong", c.wrong, c.values)
	}
	return s
}

// largestOf is the largest finite absolute value of a row.
func largestOf(row []float32) float64 {
	var m float64
	for _, v := range row {
		if x := math.Abs(float64(v)); x > m && !math.IsInf(x, 0) {
			m = x
		}
	}
	return m
}

// spacing is the distance of neighbouring numbers of a 16-bit type at v: a sum that is right
// within its tolerance may round to the next one.
func spacing(t quant.Type, v float32) float64 {
	bits, low := 0, 0
	switch t {
	case quant.F16:
		bits, low = 10, -24
	case quant.BF16:
		bits, low = 7, -133
	default:
		return 0
	}
	if v == 0 || v != v || math.IsInf(float64(v), 0) {
		return math.Ldexp(1, low)
	}
	return math.Ldexp(1, max(math.Ilogb(float64(v))-bits, low))
}

// poisoned reports whether an element of 2 or 4 bytes holds the poison of floats.
func poisoned(b []byte) bool {
	for i := range b {
		if b[i] != byte(uint32(poisonFloat)>>(8*i)) {
			return false
		}
	}
	return true
}
