// Package report renders the findings of the lint as text, JSON or SARIF 2.1.0. It must not
// import anything but passes/lint.
package report

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"dsac/passes/lint"
)

// Options say how findings are shown.
type Options struct {
	Color  bool   // text only: ANSI colours
	Plan   string // name of the plan that was looked at
	Strict bool   // warnings count
}

// Formats maps the names of formats to their writers.
var Formats = map[string]func(w io.Writer, fs []lint.Finding, o Options) error{
	"text":  Text,
	"json":  JSON,
	"sarif": SARIF,
}

// Write renders fs in the named format; an unknown name is an error that lists the known ones.
func Write(w io.Writer, format string, fs []lint.Finding, o Options) error {
	f, ok := Formats[format]
	if !ok {
		names := make([]string, 0, len(Formats))
		for n := range Formats {
			names = append(names, n)
		}
		sort.Strings(names)
		return fmt.Errorf("unknown format %q: want %s", format, strings.Join(names, ", "))
	}
	return f(w, fs, o)
}

// Tally counts findings, repetitions included.
type Tally struct{ Errors, Warnings, Ignored int }

func tally(fs []lint.Finding) (t Tally) {
	for _, f := range fs {
		switch n := 1 + f.More; {
		case f.Ignored != "":
			t.Ignored += n
		case f.Severity == lint.Warning:
			t.Warnings += n
		default:
			t.Errors += n
		}
	}
	return t
}
