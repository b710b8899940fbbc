package arena

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
)

// SVG page, in user units.
const (
	svgWidth, svgHeight = 1200.0, 600.0
	svgTop, svgFoot     = 24.0, 20.0 // room for the title, for the time scale
	svgCells            = 20         // merged buffers: a grid of this many cells a side
	svgMost             = 5000       // rectangles
)

// SVG draws a placement: time to the right, offset upwards, one rectangle a buffer with its
// name, size, offset and interval as the text that a browser shows under the pointer. A drawing
// has at most 5,000 rectangles: past that, the smallest are merged with those near them.
// height is the arena's size in bytes.
func SVG(w io.Writer, bufs []Buffer, offsets []uint64, height uint64, title string) error {
	if len(offsets) != len(bufs) {
		return fmt.Errorf("arena drawing: %d offsets for %d buffers", len(offsets), len(bufs))
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+"\n",
		svgWidth, svgTop+svgHeight+svgFoot)
	fmt.Fprintf(out, "<text x=\"4\" y=\"16\">%s (%d buffers, %d bytes)</text>\n", escape(title), len(bufs), height)
	fmt.Fprintf(out, `<rect x="0" y="%g" width="%g" height="%g" fill="#f4f4f4"/>`+"\n", svgTop, svgWidth, svgHeight)
	from, to := span(bufs)
	for _, b := range boxes(bufs, offsets, height, from, to) {
		fmt.Fprintf(out, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s" stroke="#333" stroke-width="0.3"><title>%s</title></rect>`+"\n",
			b.x0, svgTop+svgHeight-b.y1, b.x1-b.x0, b.y1-b.y0, b.fill, escape(b.text))
	}
	fmt.Fprintf(out, `<text x="4" y="%g">time %d</text><text x="%g" y="%g" text-anchor="end">%d</text>`+"\n</svg>\n",
		svgTop+svgHeight+14, from, svgWidth-4, svgTop+svgHeight+14, to)
	return out.Flush()
}

// box is a rectangle in page units, y upwards.
type box struct {
	x0, x1, y0, y1 float64
	fill, text     string
	count          int // buffers
}

func (b *box) area() float64 { return (b.x1 - b.x0) * (b.y1 - b.y0) }

// boxes returns the rectangles in drawing order: merged ones, then from large to small.
func boxes(bufs []Buffer, offsets []uint64, height uint64, from, to int64) []box {
	x := func(t int64) float64 {
		return svgWidth * (float64(t) - float64(from)) / max(1, float64(to)-float64(from))
	}
	y := func(o uint64) float64 { return svgHeight * float64(o) / max(1, float64(height)) }
	all := make([]box, 0, len(bufs))
	for i, b := range bufs {
		if b.Size == 0 {
			continue
		}
		all = append(all, box{
			x0: x(b.Lower), x1: x(b.Upper), y0: y(offsets[i]), y1: y(offsets[i]) + y(b.Size), count: 1, fill: colour(b.Name),
			text: fmt.Sprintf("%s\n%d bytes at %d\nlive [%d,%d)", b.Name, b.Size, offsets[i], b.Lower, b.Upper),
		})
	}
	slices.SortStableFunc(all, func(a, b box) int { return cmp.Compare(b.area(), a.area()) })
	if len(all) <= svgMost {
		return all
	}
	kept := svgMost - svgCells*svgCells
	return append(merge(all[kept:]), all[:kept]...)
}

// merge unites the boxes whose corners lie in the same cell of a grid.
func merge(small []box) []box {
	grid := make([]box, svgCells*svgCells)
	for _, b := range small {
		cx := min(svgCells-1, max(0, int(b.x0/svgWidth*svgCells)))
		cy := min(svgCells-1, max(0, int(b.y0/svgHeight*svgCells)))
		g := &grid[cy*svgCells+cx]
		if g.count == 0 {
			*g = b
			continue
		}
		g.count++
		g.x0, g.x1, g.y0, g.y1 = min(g.x0, b.x0), max(g.x1, b.x1), min(g.y0, b.y0), max(g.y1, b.y1)
		g.fill, g.text = "#bbb", fmt.Sprintf("%d small buffers", g.count)
	}
	return slices.DeleteFunc(grid, func(b box) bool { return b.count == 0 })
}

// span returns the first start and the last end.
func span(bufs []Buffer) (from, to int64) {
	for i, b := range bufs {
		if i == 0 {
			from, to = b.Lower, b.Upper
		}
		from, to = min(from, b.Lower), max(to, b.Upper)
	}
	return from, to
}

// colour depends on the name alone, so that a buffer keeps it from drawing to drawing.
func colour(name string) string {
	h := fnv.New32a()
	io.WriteString(h, name)
	return fmt.Sprintf("hsl(%d,60%%,72%%)", h.Sum32()%360)
}

func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic("BUG: writing to memory failed: " + err.Error())
	}
	return b.String()
}
