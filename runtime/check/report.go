package check

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// maxFindings bounds what a report holds; all are counted.
const maxFindings = 100

// Report is the outcome of the runs of a check.
type Report struct {
	Device   string      `json:"device"`
	Target   string      `json:"target"`           // of the plan
	Stress   bool        `json:"stress,omitempty"` // launches were delayed, nothing compared with the host
	Free     bool        `json:"free,omitempty"`   // the device went on from its own results and choices
	Runs     []RunReport `json:"runs"`
	Ops      []*OpReport `json:"ops"`               // by name
	First    *Finding    `json:"first"`             // of the first step with a finding, in run order
	Totals   []*Total    `json:"totals,omitempty"`  // with forced or free choices: of the results, by entry
	Choices  []Choice    `json:"choices,omitempty"` // of free runs: lists that are not the host's
	Findings []Finding   `json:"findings"`
	Found    int         `json:"found"` // Findings, and those that it has no room for

	ops map[string]*OpReport
}

// RunReport is one run of an entry.
type RunReport struct {
	Entry    string   `json:"entry"`
	Rows     int      `json:"rows"`
	Pos      int      `json:"pos"`            // rows in the caches before
	Compared int      `json:"compared"`       // steps; with Stress, delayed
	Steps    int      `json:"steps"`          // of the entry
	NMSE     *float64 `json:"nmse,omitempty"` // of the results, with forced choices
	Forced   int      `json:"forced"`         // lists that the device would have chosen otherwise

	// Of free runs: lists that are not the host's, and whether the token drawn is.
	Differing int   `json:"differing,omitempty"`
	SameToken *bool `json:"same_token,omitempty"`
}

// OpReport sums up the steps of one op.
type OpReport struct {
	Op    string  `json:"op"`
	Steps int     `json:"steps"`
	Abs   float64 `json:"tolerance_abs"`
	Rel   float64 `json:"tolerance_rel"`
	Worst Number  `json:"worst"` // largest error, relative to the largest value of its row
	Used  Number  `json:"used"`  // largest error as a part of what is allowed
	At    string  `json:"at"`    // entry and step of Worst
	Wrong int     `json:"wrong"` // values out of tolerance
	Swaps int     `json:"swaps"` // elements of lists that differ within tolerance
}

// Clean says that nothing was found.
func (r *Report) Clean() bool { return r.Found == 0 }

// add counts a finding, and lists it if there is room.
func (r *Report) add(f Finding, list bool) {
	if r.First == nil {
		r.First = &f
	}
	if r.Found++; list && len(r.Findings) < maxFindings {
		r.Findings = append(r.Findings, f)
	}
}

// op returns the row of an op.
func (r *Report) op(name string, abs, rel float64) *OpReport {
	o := r.ops[name]
	if o == nil {
		o = &OpReport{Op: name, Abs: abs, Rel: rel}
		r.ops[name] = o
	}
	return o
}

func (o *OpReport) note(c *comparison, entry, step string) {
	o.Wrong += c.wrong
	o.Used = max(o.Used, Number(c.used))
	if Number(c.worst) > o.Worst || o.At == "" && c.wrong > 0 {
		o.Worst, o.At = Number(c.worst), entry+" "+step
	}
}

// finish puts the ops in order.
func (r *Report) finish() *Report {
	r.Ops = r.Ops[:0]
	for _, o := range r.ops {
		r.Ops = append(r.Ops, o)
	}
	slices.SortFunc(r.Ops, func(a, b *OpReport) int { return strings.Compare(a.Op, b.Op) })
	return r
}

// Write prints the report for people.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	against, what := "against the host", "compared"
	if r.Stress {
		against, what = "launches delayed in turn", "delayed"
	}
	fmt.Fprintf(&b, "%s, plan for %s, %s\n", r.Device, r.Target, against)
	for _, x := range r.Runs {
		fmt.Fprintf(&b, "%s: %d rows at position %d, %d of %d steps %s", x.Entry, x.Rows, x.Pos, x.Compared, x.Steps, what)
		if x.NMSE != nil {
			fmt.Fprintf(&b, ", results NMSE %.2g", *x.NMSE)
		}
		switch {
		case r.Free:
			fmt.Fprintf(&b, ", %d lists are not the host's", x.Differing)
		case x.NMSE != nil:
			fmt.Fprintf(&b, ", %d lists forced", x.Forced)
		}
		if x.SameToken != nil {
			fmt.Fprintf(&b, ", the token is %s", map[bool]string{true: "the host's", false: "another"}[*x.SameToken])
		}
		b.WriteByte('\n')
	}
	if len(r.Totals) > 0 {
		b.WriteByte('\n')
	}
	for _, t := range r.Totals {
		fmt.Fprintf(&b, "%s, all %d rows of results: NMSE %.2g\n", t.Entry, t.Rows, t.NMSE)
	}
	if len(r.Ops) > 0 {
		b.WriteByte('\n')
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "op\tsteps\tworst\ttolerance\tused\tswaps\twrong\tat")
		for _, o := range r.Ops {
			fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%d\t%d\t%s\n", o.Op, o.Steps, number(float64(o.Worst)), tolerance(o), percent(float64(o.Used)), o.Swaps, o.Wrong, o.At)
		}
		t.Flush()
	}
	r.writeChoices(&b)
	b.WriteByte('\n')
	for i := range r.Findings {
		fmt.Fprintln(&b, &r.Findings[i])
	}
	if r.Clean() {
		b.WriteString("no differences\n")
	} else {
		if more := r.Found - len(r.Findings); more > 0 {
			fmt.Fprintf(&b, "and %d more\n", more)
		}
		fmt.Fprintf(&b, "%d findings, first %s\n", r.Found, r.First)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func number(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", x)
}

func percent(x float64) string {
	if x > 10 {
		return ">1000%"
	}
	return fmt.Sprintf("%.0f%%", math.Ceil(100*x))
}

func tolerance(o *OpReport) string {
	switch {
	case o.Abs == 0:
		return number(o.Rel)
	case o.Rel == 0:
		return number(o.Abs) + " abs"
	}
	return number(o.Rel) + " + " + number(o.Abs) + " abs"
}

// String is a finding in one line.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: entry %s", f.Kind, f.Entry)
	if f.Step != "" {
		fmt.Fprintf(&b, ", step %s (%s)", f.Step, f.Op)
	}
	if f.Kernel != "" {
		fmt.Fprintf(&b, ", kernel %s", f.Kernel)
	}
	if f.Operand != "" {
		fmt.Fprintf(&b, ", buffer %s", f.Operand)
	}
	if f.Byte >= 0 {
		fmt.Fprintf(&b, " byte %d", f.Byte)
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	return b.String()
}
