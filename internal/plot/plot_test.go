package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestExponent(t *testing.T) {
	for _, c := range []struct {
		name string
		law  func(x float64) float64
		want float64
	}{
		{"constant", func(float64) float64 { return 7 }, 0},
		{"square root", math.Sqrt, 0.5},
		{"linear", func(x float64) float64 { return 3 * x }, 1},
		{"square", func(x float64) float64 { return x * x / 9 }, 2},
	} {
		var ps []Point
		for x := 1.0; x < 1e6; x *= 4 {
			ps = append(ps, Point{x, c.law(x)})
		}
		if got := Exponent(ps); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: exponent %v, want %v", c.name, got, c.want)
		}
	}
	if got := Exponent([]Point{{3, 4}}); got != 0 {
		t.Errorf("one point: exponent %v, want 0", got)
	}
}

func TestSVGIsXMLAndTheSameEachTime(t *testing.T) {
	charts := []Chart{
		{"a < b", "x", "y", []Series{{"one & two", []Point{{1024, 10}, {1e6, 12}}}, {"three", []Point{{1, 0.5}}}}},
		{"empty", "x", "y", nil},
	}
	var first, second bytes.Buffer
	if err := errors.Join(SVG(&first, charts), SVG(&second, charts)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two drawings differ")
	}
	for d := xml.NewDecoder(bytes.NewReader(first.Bytes())); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a &lt; b", "one &amp; two, exponent 0.03, at the end 0.03", ">1M<"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("no %q in the drawing", want)
		}
	}
	if strings.Contains(first.String(), "NaN") || strings.Contains(first.String(), "Inf") {
		t.Error("a coordinate is no number")
	}
}

func TestTicksAreFew(t *testing.T) {
	for _, a := range []axis{{900, 1.2e6, 0, 100}, {1, 9, 0, 100}, {10, 14, 0, 100}, {0.2, 30000, 0, 100}} {
		if n := len(a.ticks()); n < 1 || n > mostTicks {
			t.Errorf("%v to %v: %d ticks", a.lo, a.hi, n)
		}
	}
}
