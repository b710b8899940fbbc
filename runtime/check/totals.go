package check

import "fmt"

// Sums are those of a normalised mean square error.
type Sums struct{ err, sum float64 }

// Add adds a row and what it should be.
func (s *Sums) Add(got, want []float32) {
	for i := range want {
		d := float64(got[i]) - float64(want[i])
		s.err += d * d
		s.sum += float64(want[i]) * float64(want[i])
	}
}

// NMSE is the error of what was added: no number where all that was wanted is zero.
func (s *Sums) NMSE() Number { return Number(s.err / s.sum) }

// Total is the error of all results that the runs of an entry left, of which Options.Forced
// judges the sum: a single row of a model that multiplies errors says little.
type Total struct {
	Entry string `json:"entry"`
	Rows  int    `json:"rows"`
	NMSE  Number `json:"nmse"`

	operand string
	sums    Sums
	judged  bool
}

func (t *Total) add(rows int, s Sums) {
	t.Rows += rows
	t.sums.err += s.err
	t.sums.sum += s.sum
	t.NMSE = t.sums.NMSE()
}

// total returns the sum of an entry.
func (r *Report) total(entry, operand string) *Total {
	for _, t := range r.Totals {
		if t.Entry == entry {
			return t
		}
	}
	t := &Total{Entry: entry, operand: operand}
	r.Totals = append(r.Totals, t)
	return t
}

// judge reports the sums that are larger than allowed, once each.
func (r *Report) judge(allowed float64) {
	for _, t := range r.Totals {
		if float64(t.NMSE) <= allowed || t.judged {
			continue
		}
		t.judged = true
		r.add(Finding{Kind: Differs, Entry: t.Entry, Index: -1, Operand: t.operand, Byte: -1,
			Detail: fmt.Sprintf("results differ from the host's: NMSE %.2g over %d rows, allowed %.2g", t.NMSE, t.Rows, allowed)}, true)
	}
}
