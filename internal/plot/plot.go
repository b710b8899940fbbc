// Package plot draws measured curves on logarithmic axes as SVG, the same bytes for the same
// numbers, and fits their exponents. It must not import any other package of this module.
package plot

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// Point is one measurement; both are above zero.
type Point struct{ X, Y float64 }

// Series is a curve.
type Series struct {
	Name   string
	Points []Point
}

// Chart is a panel of a picture.
type Chart struct {
	Title, X, Y string // of the panel and its axes
	Series      []Series
}

// Exponent returns the e of the law y = c x^e that fits the points best in the logarithms.
func Exponent(ps []Point) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range ps {
		x, y := math.Log(p.X), math.Log(p.Y)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if d := n*sxx - sx*sx; d > 1e-12 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}

// Extents of a panel in pixels.
const (
	panelW, panelH           = 420, 300
	left, right, top, bottom = 64, 16, 34, 46
)

var colours = []string{"#1f5fa8", "#b8401f", "#2f7d32", "#7a3e9d"}

// SVG writes the charts side by side.
func SVG(out io.Writer, charts []Chart) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", panelW*len(charts), panelH)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	for i, c := range charts {
		fmt.Fprintf(&b, `<g transform="translate(%d,0)">`+"\n", i*panelW)
		c.draw(&b)
		fmt.Fprintln(&b, "</g>")
	}
	fmt.Fprintln(&b, "</svg>")
	_, err := io.WriteString(out, b.String())
	return err
}

func (c *Chart) draw(b *strings.Builder) {
	text := func(x, y float64, anchor, s string) {
		fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", num(x), num(y), anchor, html.EscapeString(s))
	}
	xs, ys := c.axes()
	mid := float64(left+panelW-right) / 2
	text(mid, 16, "middle", c.Title)
	text(mid, panelH-8, "middle", c.X)
	fmt.Fprintf(b, `<text transform="translate(14,%d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+panelH-bottom)/2, html.EscapeString(c.Y))
	for _, t := range xs.ticks() {
		x := xs.at(t)
		line(b, x, top, x, panelH-bottom, "#ddd")
		text(x, panelH-bottom+14, "middle", short(t))
	}
	for _, t := range ys.ticks() {
		y := ys.at(t)
		line(b, left, y, panelW-right, y, "#ddd")
		text(left-5, y+4, "end", short(t))
	}
	line(b, left, panelH-bottom, panelW-right, panelH-bottom, "#000")
	line(b, left, top, left, panelH-bottom, "#000")
	for i, s := range c.Series {
		colour := colours[i%len(colours)]
		var path []string
		for _, p := range s.Points {
			path = append(path, num(xs.at(p.X))+","+num(ys.at(p.Y)))
			fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="3" fill="%s"/>`+"\n", num(xs.at(p.X)), num(ys.at(p.Y)), colour)
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.Join(path, " "), colour)
		label := s.Name
		if len(s.Points) > 1 {
			label += fmt.Sprintf(", exponent %.2f, at the end %.2f", Exponent(s.Points), Exponent(s.Points[len(s.Points)-2:]))
		}
		y := float64(top + 14 + 14*i)
		fmt.Fprintf(b, `<rect x="%d" y="%s" width="10" height="3" fill="%s"/>`+"\n", left+8, num(y-5), colour)
		text(left+22, y, "start", label)
	}
}

func line(b *strings.Builder, x1, y1, x2, y2 float64, colour string) {
	fmt.Fprintf(b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s"/>`+"\n", num(x1), num(y1), num(x2), num(y2), colour)
}

// num writes a coordinate.
func num(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// short writes a number with a letter for thousands and millions.
func short(v float64) string {
	for _, u := range []struct {
		at   float64
		name string
	}{{1e6, "M"}, {1e3, "k"}} {
		if v >= u.at {
			return strconv.FormatFloat(v/u.at, 'g', 3, 64) + u.name
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
