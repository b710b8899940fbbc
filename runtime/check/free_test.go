package check

import (
	"strings"
	"testing"
)

// TestFree lets the mirror go on from its own results and choices.
func TestFree(t *testing.T) {
	b := newBench(t, "f32")
	r := b.run(t, Options{Free: true})
	if !r.Clean() || len(r.Choices) != 0 {
		t.Errorf("a right device: %v, choices %v", r.Findings, r.Choices)
	}
	for _, run := range r.Runs {
		if run.NMSE == nil || *run.NMSE > 1e-12 || run.SameToken == nil || !*run.SameToken {
			t.Errorf("%s: NMSE %v, same token %v", run.Entry, run.NMSE, run.SameToken)
		}
	}
	for _, c := range []struct {
		name, op, want string
		spoil          func(s *Step)
	}{
		{"a list that its own inputs do not give", "index_topk", "from its own inputs, ", func(s *Step) {
			q := output(s)
			others(s.bytes(q)[10*q.Size/16:][:q.Size/16], 11)
		}},
		{"a list that is none", "index_topk", "want ascending, then -1", func(s *Step) {
			q := output(s)
			row := s.bytes(q)[10*q.Size/16:]
			copy(row[4:8], row[:4])
		}},
		{"errors that add up to other lists", "matmul", "swaps against the host, of scores that differ by up to", func(s *Step) {
			noise(s.bytes(output(s)), 0.5)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.dev.spoil = firstOf(c.op, c.spoil)
			r := b.run(t, Options{Free: true})
			if r.Clean() || r.First.Kind != List || !strings.Contains(r.First.Detail, c.want) {
				t.Errorf("first finding %v, want %q", r.First, c.want)
			}
		})
	}
}

// noise scales every third value.
func noise(b []byte, by float32) {
	for i := 0; i+4 <= len(b); i += 12 {
		scale(b[i:i+4], by)
	}
}

// TestFreeCountsWhatFollows has a device with another list that is close enough: the list is
// reported and judged, what comes after it reported only.
func TestFreeCountsWhatFollows(t *testing.T) {
	b := newBench(t, "f32")
	b.dev.spoil = firstOf("index_topk", func(s *Step) {
		q := output(s)
		others(s.bytes(q)[10*q.Size/16:][:q.Size/16], 11)
	})
	r := b.run(t, Options{Free: true, Tol: func(op string) (float64, float64) {
		if op == "index_scores" {
			return 1e6, 0
		}
		return ofTable(op)
	}})
	if !r.Clean() || len(r.Choices) == 0 {
		t.Fatalf("findings %v, choices %v", r.Findings, r.Choices)
	}
	if c := r.Choices[0]; c.After || c.Row != 10 || c.Swaps != 3 || c.Gap <= 0 || c.Allowed < 1e6 {
		t.Errorf("first choice %+v, want row 10, 3 swaps, judged", c)
	}
	for _, c := range r.Choices[1:] {
		if !c.After || c.Row < 10 && c.Entry == "prefill16" {
			t.Errorf("%+v follows the swap of row 10 of the prefill", c)
		}
	}
	if text := (&strings.Builder{}); r.Write(text) != nil || !strings.Contains(text.String(), "lists other than the host's") {
		t.Errorf("report:\n%s", text)
	}
}
