package check

import (
	"encoding/json"
	"math"
)

// Number is a figure of a report. JSON has neither infinities nor NaN, which a broken device gives:
// there they are null.
type Number float64

// MarshalJSON is for package encoding/json.
func (n Number) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsInf(x, 0) || math.IsNaN(x) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}
