package main

import (
	"strings"
	"testing"

	"dsac/runtime/cuda"
)

// A change is marked when it is more than the noise of both runs.
func TestBenchChange(t *testing.T) {
	before := &benchRun{Rows: []benchRow{{Name: "steady", Micros: 100, Spread: 0.001}, {Name: "noisy", Micros: 100, Spread: 0.05}, {Name: "failed", Error: "no room"}}}
	for _, c := range []struct {
		now  benchRow
		want string
	}{
		{benchRow{Name: "steady", Micros: 100}, "x1.000"},
		{benchRow{Name: "steady", Micros: 102}, "x1.020"},
		{benchRow{Name: "steady", Micros: 104}, "x1.040 slower"},
		{benchRow{Name: "steady", Micros: 96}, "x0.960 faster"},
		{benchRow{Name: "noisy", Micros: 109}, "x1.090"},
		{benchRow{Name: "noisy", Micros: 115}, "x1.150 slower"},
		{benchRow{Name: "noisy", Micros: 105, Spread: 0.2}, "x1.050"},
		{benchRow{Name: "other", Micros: 5}, "new"},
		{benchRow{Name: "failed", Micros: 5}, "new"},
	} {
		if got := strings.TrimSpace(before.change(&c.now)); got != c.want {
			t.Errorf("%s at %v: %q, want %q", c.now.Name, c.now.Micros, got, c.want)
		}
	}
	if got := (*benchRun)(nil).change(&benchRow{Name: "steady"}); got != "" {
		t.Errorf("without an earlier run: %q", got)
	}
}

func TestBenchFractions(t *testing.T) {
	r := benchRow{Micros: 10, Bytes: 20e6, Flops: 3e9}
	rates := cuda.Rates{Copy: 4e12, MMA: 600e12}
	if got := r.ofCopy(rates); got != 0.5 {
		t.Errorf("20 MB in 10 us are %v of 4 TB/s", got)
	}
	if got := r.tflops(); got != 300 {
		t.Errorf("3 GFLOP in 10 us are %v TFLOP/s", got)
	}
	if got := r.ofPeak(rates); got != 0.5 {
		t.Errorf("300 TFLOP/s are %v of 600", got)
	}
	if got := r.ofCopy(cuda.Rates{}); got != 0 {
		t.Errorf("of an unknown rate: %v", got)
	}
}

func TestJoinedOps(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"rope"}, "rope"},
		{[]string{"matmul", "matmul", "matmul", "rmsnorm"}, "matmul x3+rmsnorm"},
		{[]string{"rope", "append", "rope"}, "rope+append+rope"},
	} {
		if got := joined(c.names); got != c.want {
			t.Errorf("%v: %q, want %q", c.names, got, c.want)
		}
	}
}
