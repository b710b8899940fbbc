package plot

import "math"

// axis maps a range of values, logarithmically, onto pixels.
type axis struct {
	lo, hi float64 // values at from and to
	from   float64
	to     float64
}

// axes are wide enough for all points, with room above for the names of the curves.
func (c *Chart) axes() (x, y axis) {
	x = axis{math.Inf(1), 0, left, panelW - right}
	y = axis{math.Inf(1), 0, panelH - bottom, top}
	for _, s := range c.Series {
		for _, p := range s.Points {
			x.lo, x.hi = min(x.lo, p.X), max(x.hi, p.X)
			y.lo, y.hi = min(y.lo, p.Y), max(y.hi, p.Y)
		}
	}
	if x.hi == 0 {
		x.lo, x.hi, y.lo, y.hi = 1, 10, 1, 10
	}
	x.lo, x.hi = x.lo/1.1, x.hi*1.1
	y.lo, y.hi = y.lo/1.5, y.hi*3
	return x, y
}

func (a axis) at(v float64) float64 {
	return a.from + (a.to-a.from)*math.Log(v/a.lo)/math.Log(a.hi/a.lo)
}

// mostTicks keeps the labels of an axis apart.
const mostTicks = 7

// ticks returns round numbers inside the axis: the densest steps that are not too many.
func (a axis) ticks() []float64 {
	var ts []float64
	for _, digits := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}} {
		ts = ts[:0]
		for e := math.Floor(math.Log10(a.lo)); e <= math.Ceil(math.Log10(a.hi)); e++ {
			for _, d := range digits {
				if t := d * math.Pow(10, e); t >= a.lo && t <= a.hi {
					ts = append(ts, t)
				}
			}
		}
		if len(ts) <= mostTicks {
			break
		}
	}
	return ts
}
