package cost

import (
	"cmp"
	"math"
)

// Model gives the time of launches that memory or latency bounds. A launch that memory bounds
// takes a fixed time, for its start and its first loads, and its bytes pass at a part of the
// copy bandwidth; another takes the time of its kind.
type Model struct {
	Launch float64 // microseconds of a launch of any kind, without its bytes
	Part   float64 // of the copy bandwidth that bytes pass at
	Kinds  map[string]Kind
}

// Kind is what was measured of an op kind; zero fields were not.
type Kind struct {
	Launch float64 // microseconds of a launch that memory does not bound
	Part   float64 // of the copy bandwidth, beside Model.Launch, of one that it does
}

// Much is how many bytes a launch reads whose time they settle: less fits one round of loads
// of every thread of a device.
const Much = 1 << 20

// Micros returns the time of launches of a kind that read bytes together.
func (m Model) Micros(kind string, launches int, bytes, copyRate float64) float64 {
	n, k := float64(launches), m.Kinds[kind]
	read := bytes / (copyRate * cmp.Or(k.Part, m.Part)) * 1e6
	if k.Launch > 0 {
		return max(n*k.Launch, read)
	}
	return n*m.Launch + read
}

// Sample is a measured kind of one step.
type Sample struct {
	Kind            string
	Launches, Bytes float64
	Micros          float64 // of all launches together
}

func (s *Sample) much() bool { return s.Bytes >= s.Launches*Much }

// Fit returns the model that is nearest to the samples, in squares of relative errors, on a
// device of that copy bandwidth, with a part for each kind such that the samples themselves
// are met; false when they do not tell a launch from its bytes.
func Fit(samples []Sample, copyRate float64) (Model, bool) {
	m := Model{Kinds: make(map[string]Kind)}
	var ll, lb, bb, l1, b1 float64
	for i := range samples {
		s := &samples[i]
		if s.Micros <= 0 || s.Launches <= 0 {
			continue
		}
		if !s.much() {
			m.Kinds[s.Kind] = Kind{Launch: s.Micros / s.Launches}
			continue
		}
		l, b := s.Launches/s.Micros, s.Bytes/copyRate*1e6/s.Micros // l x Launch + b / Part = 1
		ll, lb, bb, l1, b1 = ll+l*l, lb+l*b, bb+b*b, l1+l, b1+b
	}
	d := ll*bb - lb*lb
	if d <= 1e-9*ll*bb || math.IsNaN(d) {
		return m, false
	}
	slope := (ll*b1 - lb*l1) / d
	m.Launch, m.Part = (l1*bb-b1*lb)/d, 1/slope
	if m.Launch <= 0 || slope <= 0 {
		return m, false
	}
	for i := range samples {
		s := &samples[i]
		if !s.much() || s.Micros <= s.Launches*m.Launch {
			continue
		}
		k := Kind{Part: s.Bytes / copyRate * 1e6 / (s.Micros - s.Launches*m.Launch)}
		if k.Part < m.Part/2 { // something else bounds it
			k = Kind{Launch: s.Micros / s.Launches}
		}
		m.Kinds[s.Kind] = k
	}
	return m, true
}
