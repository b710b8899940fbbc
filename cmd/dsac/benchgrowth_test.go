package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The curves are sorted, the exponents are those of the rows, and rows that were not measured
// are left out.
func TestGrowthSVG(t *testing.T) {
	run := &benchRun{Kind: "growth", Device: "X"}
	add := func(what string, layers, tokens, depth int, us float64) {
		run.Rows = append(run.Rows, benchRow{Name: fmt.Sprint(what, layers, tokens, depth), What: what, Layers: layers, Tokens: tokens, Depth: depth, Micros: us})
	}
	for _, d := range []int{1000000, 4096, 1024, 65536} { // the order of a run is another one
		add("context", 4, 1, d, math.Sqrt(float64(d)))
		add("context", 4, growthPrefill, d, float64(d))
	}
	for _, n := range []int{1, 8, 512} {
		add("rows", 4, n, growthAt, 100*math.Pow(float64(n), 0.25))
	}
	for _, l := range []int{3, 4, 8} {
		add("layers", l, 1, growthAt, 50*float64(l))
	}
	add("layers", 5, 1, growthAt, 0)
	var b strings.Builder
	if err := growthSVG(&b, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 row, exponent 0.50", "512 rows, exponent 1.00", "a step, exponent 0.25", "1 row, exponent 1.00", "cost against context, X"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the drawing", want)
		}
	}
	if got, want := strings.Count(b.String(), "<circle"), 8+3+3; got != want {
		t.Errorf("%d points are drawn, want %d", got, want)
	}
}
