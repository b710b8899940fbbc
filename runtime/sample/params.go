package sample

import "fmt"

// maxVocab keeps the sum of all weights below 2^63.
const maxVocab = 1 << 30

// Params says how to choose. The zero value is greedy choice except for Repeat and TopP, which
// must be 1 to be off: see Greedy.
type Params struct {
	Temperature float32 // 0: greedy; 1: as the model says
	TopK        int     // keep this many of the best ids; 0: all
	TopP        float32 // keep the best ids that hold this share of the probability; 1: all
	MinP        float32 // keep ids at least this likely relative to the best; 0: all
	Repeat      float32 // penalty on ids seen before; 1: none
	Seed        uint64  // key of the random numbers
}

// Greedy returns the parameters that always choose the largest logit.
func Greedy() Params { return Params{TopP: 1, Repeat: 1} }

// Least temperature other than 0: below it 1/T and its products lose all meaning in float32.
const leastTemperature = 1e-6

// Check reports the first parameter that is out of range.
func (p Params) Check() error {
	// Written so that NaN fails each condition.
	switch {
	case p.Temperature != 0 && !(p.Temperature >= leastTemperature && p.Temperature <= 1000):
		return fmt.Errorf("temperature is %v, want 0 (greedy) or %v to 1000", p.Temperature, float32(leastTemperature))
	case p.TopK < 0:
		return fmt.Errorf("top-k is %d, want 0 (off) or more", p.TopK)
	case !(p.TopP > 0 && p.TopP <= 1):
		return fmt.Errorf("top-p is %v, want more than 0 and at most 1 (off)", p.TopP)
	case !(p.MinP >= 0 && p.MinP <= 1):
		return fmt.Errorf("min-p is %v, want 0 (off) to 1", p.MinP)
	case !(p.Repeat > 0 && p.Repeat <= 1000):
		return fmt.Errorf("repetition penalty is %v, want more than 0 and at most 1000 (1 is off)", p.Repeat)
	}
	return nil
}
