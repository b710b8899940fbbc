package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the report as a table: what, the bytes exactly, and the bytes in words. What
// is indented is part of the line above it.
func (m Memory) String() string {
	var t memoryTable
	t.add("weights", m.WeightTotal)
	for _, w := range m.Weights {
		t.add(fmt.Sprintf("  %s (%d)", w.Type, w.Count), w.Bytes)
	}
	if m.OtherConst > 0 {
		t.add("other constants", m.OtherConst)
	}
	t.add("latent cache", m.Latent.Bytes)
	t.add("indexer cache", m.Indexer.Bytes)
	t.add("caches per token", m.Latent.PerToken+m.Indexer.PerToken)
	t.add("  latent", m.Latent.PerToken)
	t.add("  indexer", m.Indexer.PerToken)
	t.add("control", m.Control)
	if m.OtherState > 0 {
		t.add("other state", m.OtherState)
	}
	for _, e := range m.Entries {
		what := "arena of entry " + e.Name
		if e.Name == "" {
			what = "arena"
		}
		t.add(fmt.Sprintf("%s (%d rows)", what, e.Rows), e.Arena)
		t.add("  scratch", e.Scratch)
		t.add("  indexer scratch", e.IndexerScratch)
		t.add("  inputs", e.In)
		t.add("  outputs", e.Out)
	}
	for _, r := range m.Regions {
		t.add(fmt.Sprintf("region %s (%s)", r.Name, r.Kind), r.Bytes)
	}
	t.add("total", m.Total)
	return t.String()
}

// memoryTable aligns the lines of the report.
type memoryTable struct {
	what  []string
	bytes []uint64
}

func (t *memoryTable) add(what string, bytes uint64) {
	t.what, t.bytes = append(t.what, what), append(t.bytes, bytes)
}

func (t *memoryTable) String() string {
	left, right := 0, 0
	for i, w := range t.what {
		left, right = max(left, len(w)), max(right, len(groupDigits(t.bytes[i])))
	}
	var b strings.Builder
	for i, w := range t.what {
		fmt.Fprintf(&b, "%-*s  %*s  %s\n", left, w, right, groupDigits(t.bytes[i]), human(t.bytes[i]))
	}
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
