package lint

import (
	"slices"
	"testing"

	"dsac/runtime/plan"
)

// FuzzRun: whatever parses can be looked at, twice with the same result.
func FuzzRun(f *testing.F) {
	for _, b := range blocks(f) {
		f.Add([]byte(b.text))
	}
	f.Add([]byte(decode))
	f.Add([]byte(phantomText))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := plan.Parse("fuzz", text)
		if err != nil {
			return
		}
		a, b := Run(p, Options{}), Run(p, Options{})
		if !slices.EqualFunc(a, b, func(x, y Finding) bool { return x.Summary == y.Summary && x.Code == y.Code }) {
			t.Errorf("two runs differ: %d and %d findings", len(a), len(b))
		}
	})
}
