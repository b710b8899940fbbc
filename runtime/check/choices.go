package check

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// Choice is a list of a free run that differs from the host's.
type Choice struct {
	Entry   string `json:"entry"`
	Step    string `json:"step"`
	Op      string `json:"op"`
	Row     int    `json:"row"`
	Swaps   int    `json:"swaps"`
	Gap     Number `json:"gap"`     // largest difference of scores that were swapped
	Allowed Number `json:"allowed"` // tolerance of the scores
	After   bool   `json:"after"`   // another list differed before: not judged
}

// maxChoices bounds those that a report holds; runs count all.
const maxChoices = 1000

// writeChoices prints the lists that differ, the closest call first of those that are judged.
func (r *Report) writeChoices(w io.Writer) {
	if len(r.Choices) == 0 {
		return
	}
	const most = 20
	list := slices.Clone(r.Choices)
	slices.SortStableFunc(list, func(a, b Choice) int {
		switch {
		case a.After != b.After:
			return map[bool]int{false: -1, true: 1}[a.After]
		case a.After:
			return 0
		}
		return int(math.Copysign(1, float64(b.Gap/b.Allowed-a.Gap/a.Allowed)))
	})
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nlists other than the host's\trow\tswaps\tgap\tallowed\tused")
	for _, c := range list[:min(most, len(list))] {
		used := percent(float64(c.Gap / c.Allowed))
		if c.After {
			used = "after another"
		}
		fmt.Fprintf(t, "%s %s (%s)\t%d\t%d\t%.2g\t%.2g\t%s\n", c.Entry, c.Step, c.Op, c.Row, c.Swaps, c.Gap, c.Allowed, used)
	}
	t.Flush()
	if more := len(list) - most; more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
}
