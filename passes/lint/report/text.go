package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"dsac/passes/lint"
)

// ANSI sequences of the parts of a finding.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	grey   = "\x1b[2m"
	green  = "\x1b[32m"
	reset  = "\x1b[0m"
)

// Text renders findings for people.
func Text(w io.Writer, fs []lint.Finding, o Options) error {
	var b bytes.Buffer
	paint := func(color, s string) string {
		if !o.Color {
			return s
		}
		return color + s + reset
	}
	for i := range fs {
		f := &fs[i]
		color, word := red, f.Severity.String()
		if f.Severity == lint.Warning {
			color = yellow
		}
		if f.Ignored != "" {
			color, word = grey, "ignored"
		}
		fmt.Fprintf(&b, "%s %s\n", paint(color, word+" "+f.Code+":"), f.Summary)
		where(&b, f)
		for j, c := range f.Chain {
			label := "    then "
			if j == 0 {
				label = "    first "
			}
			fmt.Fprintln(&b, paint(grey, label+c))
		}
		if s := f.Source; s != nil {
			fmt.Fprintf(&b, "  at %s\n", s)
			if s.Text != "" {
				fmt.Fprintf(&b, "    %s\n", strings.TrimRight(strings.ReplaceAll(s.Text, "\t", " "), " "))
				if s.Col > 0 {
					fmt.Fprintf(&b, "    %s^\n", strings.Repeat(" ", int(s.Col)-1))
				}
			}
		}
		if f.Ignored != "" {
			fmt.Fprintf(&b, "  ignored: %s\n", f.Ignored)
		} else if f.Repair != "" {
			fmt.Fprintf(&b, "  %s %s\n", paint(green, "repair:"), f.Repair)
		}
		if f.Feeders > 0 {
			fmt.Fprintf(&b, "  and %s\n", feeders(f))
		}
		if f.More > 0 {
			fmt.Fprintf(&b, "  and %d more like it\n", f.More)
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintln(&b, verdict(fs, o))
	_, err := w.Write(b.Bytes())
	return err
}

// feeders says how many ops are dead only because of f.
func feeders(f *lint.Finding) string {
	if f.Feeders == 1 {
		return "the one op that only feeds it"
	}
	return fmt.Sprintf("the %d ops that only feed it", f.Feeders)
}

// where prints entry, point, ops and bytes of a finding.
func where(b *bytes.Buffer, f *lint.Finding) {
	var parts []string
	if f.Entry != "" {
		parts = append(parts, "entry "+f.Entry)
	}
	if f.Point != "" {
		parts = append(parts, "at "+f.Point)
	}
	for _, o := range f.Ops {
		s := "op " + o.Name
		if o.Kind != "" && o.Kind != o.Name {
			s += " (" + o.Kind + ")"
		}
		parts = append(parts, s)
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  in %s\n", strings.Join(parts, ", "))
	}
	for _, r := range f.Bytes {
		fmt.Fprintf(b, "    %s\n", r)
	}
}

func verdict(fs []lint.Finding, o Options) string {
	t := tally(fs)
	plan := o.Plan
	if plan == "" {
		plan = "plan"
	}
	if t == (Tally{}) {
		return plan + ": clean"
	}
	s := fmt.Sprintf("%s: %d errors, %d warnings", plan, t.Errors, t.Warnings)
	if t.Ignored > 0 {
		s += fmt.Sprintf(", %d ignored", t.Ignored)
	}
	return s
}
