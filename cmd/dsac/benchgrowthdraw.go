package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"dsac/internal/plot"
)

// growthSVG draws the rows of a run: steps of one row and of many against the context, all
// steps against their rows, and both again against the layers.
func growthSVG(out io.Writer, run *benchRun) error {
	by := func(what string, x func(*benchRow) int, keep func(*benchRow) bool, name string) plot.Series {
		s := plot.Series{Name: name}
		for i := range run.Rows {
			if r := &run.Rows[i]; r.What == what && keep(r) && r.Micros > 0 && x(r) > 0 {
				s.Points = append(s.Points, plot.Point{X: float64(x(r)), Y: r.Micros})
			}
		}
		slices.SortFunc(s.Points, func(a, b plot.Point) int { return cmp.Compare(a.X, b.X) })
		return s
	}
	depth := func(r *benchRow) int { return r.Depth }
	tokens := func(r *benchRow) int { return r.Tokens }
	layers := func(r *benchRow) int { return r.Layers }
	one := func(r *benchRow) bool { return r.Tokens == 1 }
	many := func(r *benchRow) bool { return r.Tokens == growthPrefill }
	all := func(*benchRow) bool { return true }
	prefill := fmt.Sprintf("%d rows", growthPrefill)
	return plot.SVG(out, []plot.Chart{
		{Title: "cost against context, " + run.Device, X: "rows in the caches", Y: "us per step", Series: []plot.Series{
			by("context", depth, one, "1 row"), by("context", depth, many, prefill)}},
		{Title: fmt.Sprintf("cost against rows, depth %d", growthAt), X: "rows of a step", Y: "us per step", Series: []plot.Series{
			by("rows", tokens, all, "a step")}},
		{Title: fmt.Sprintf("cost against layers, depth %d", growthAt), X: "layers", Y: "us per step", Series: []plot.Series{
			by("layers", layers, one, "1 row"), by("layers", layers, many, prefill)}},
	})
}
