package plan

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// String returns the report as a table: what, bytes to the byte, and the same in words.
func (m Memory) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(what string, bytes uint64) {
		fmt.Fprintf(w, "%s\t%s\t%s\t\n", what, groupDigits(bytes), human(bytes))
	}
	line("weights", m.WeightTotal)
	for _, t := range m.Weights {
		line(fmt.Sprintf("%s (%d)", t.Type, t.Count), t.Bytes)
	}
	if m.OtherConst > 0 {
		line("other constants", m.OtherConst)
	}
	line("latent cache", m.Latent.Bytes)
	line("per token", m.Latent.PerToken)
	line("indexer cache", m.Indexer.Bytes)
	line("per token", m.Indexer.PerToken)
	line("both caches, per token", m.Latent.PerToken+m.Indexer.PerToken)
	line("control", m.Control)
	if m.OtherState > 0 {
		line("other state", m.OtherState)
	}
	for _, e := range m.Entries {
		name := "entry " + e.Name
		if e.Name == "" {
			name = "entry"
		}
		line(fmt.Sprintf("%s (%d rows): arena", name, e.Rows), e.Arena)
		line("scratch", e.Scratch)
		line("indexer scratch", e.IndexerScratch)
		line("inputs", e.In)
		line("outputs", e.Out)
	}
	for _, r := range m.Regions {
		line(fmt.Sprintf("region %s (%s)", r.Name, r.Kind), r.Bytes)
	}
	line("total", m.Total)
	w.Flush()
	return b.String()
}

// groupDigits writes 1234567 as 1,234,567.
func groupDigits(v uint64) string {
	s := strconv.FormatUint(v, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// human writes bytes in the largest fitting unit.
func human(v uint64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if v >= 1<<u.shift {
			return fmt.Sprintf("%.2f %s", float64(v)/float64(uint64(1)<<u.shift), u.name)
		}
	}
	return strconv.FormatUint(v, 10) + " B"
}
