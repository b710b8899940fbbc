package cost

import "math"

// Model is a linear law for the time of launches that memory bounds: each takes a fixed time,
// for its start, its first loads and the wait for the launch before, and its bytes pass at a
// part of the copy bandwidth.
type Model struct {
	Launch float64 // microseconds of one launch without bytes
	Part   float64 // of the copy bandwidth that bytes pass at
}

// Measured are the constants of decode steps on an H200 (docs/measurements.md), which predict
// takes where no run is given.
var Measured = Model{Launch: 3.1, Part: 0.75}

// Micros returns the time of launches that read bytes on a card.
func (m Model) Micros(launches int, bytes float64, copyRate float64) float64 {
	return float64(launches)*m.Launch + bytes/(copyRate*m.Part)*1e6
}

// Sample is a measurement to fit a model to.
type Sample struct {
	Launches, Bytes, Micros float64
}

// Fit returns the model that is nearest to the samples in squares, on a device of that copy
// bandwidth; false when they do not tell the two constants apart.
func Fit(samples []Sample, copyRate float64) (Model, bool) {
	var ll, lb, bb, lt, bt float64
	for _, s := range samples {
		b := s.Bytes / copyRate * 1e6 // microseconds at copy speed
		ll, lb, bb = ll+s.Launches*s.Launches, lb+s.Launches*b, bb+b*b
		lt, bt = lt+s.Launches*s.Micros, bt+b*s.Micros
	}
	d := ll*bb - lb*lb
	if d <= 1e-9*ll*bb || math.IsNaN(d) {
		return Model{}, false
	}
	launch, slope := (lt*bb-bt*lb)/d, (ll*bt-lb*lt)/d
	if launch <= 0 || slope <= 0 {
		return Model{}, false
	}
	return Model{Launch: launch, Part: 1 / slope}, true
}
