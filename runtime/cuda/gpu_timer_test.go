//go:build cuda

package cuda

import (
	"context"
	"testing"
)

// The driver's calls of timing, and of weights that are made up.
func TestGPUTimer(t *testing.T) {
	needGPU(t)
	tm, err := OpenTimer(toyPlan(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tm.Rates(context.Background())
	if err != nil || r.Copy <= 0 || r.MMA <= 0 {
		t.Errorf("rates %+v: %v", r, err)
	}
	took, err := tm.Time(context.Background(), Job{First: 6, Count: 2, N: 4, Len: 8, Cold: 16384})
	if err != nil || took.Micros <= 0 || took.Rounds < leastRounds {
		t.Errorf("%+v: %v", took, err)
	}
	if err := tm.Close(); err != nil {
		t.Error(err)
	}
}

func TestGPUMadeUpWeights(t *testing.T) {
	d := loadGPU(t, toyPlan(t), Options{MadeUp: true})
	embd, err := d.Buffer("embd")
	if err != nil || getF(embd, 0) == 0 || getF(embd, toyVocab*toyWidth-1) == 0 {
		t.Errorf("weights are not made up: %v", err)
	}
	generate(t, d, []int32{9, 3}, 3)
	if took, err := d.TimeLaunches(context.Background(), 0, 1, []int32{1, 3}); err != nil || took.Micros <= 0 {
		t.Errorf("%+v: %v", took, err)
	}
}
