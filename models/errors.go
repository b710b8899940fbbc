package models

import (
	"fmt"
	"sort"
	"strings"

	"dsac/ir"
)

// maxErrors is how many errors of one description are shown.
const maxErrors = 10

// Error is one thing that is wrong with a description, or with a file seen through it.
type Error struct {
	Pos ir.Pos
	Msg string
	Err error // wrapped cause, or nil; Msg already says it
}

// Error shows place and message, then the line with a caret under the column.
func (e *Error) Error() string {
	head := e.Pos.String() + ": " + e.Msg
	if e.Pos.Text == "" {
		return head
	}
	return head + "\n\t" + e.Pos.Text + "\n\t" + caretIndent(e.Pos) + "^"
}

// caretIndent repeats the tabs of the line, so that the caret lands under the column whatever
// the width of a tab.
func caretIndent(p ir.Pos) string {
	var b strings.Builder
	n := 1
	for _, r := range p.Text {
		if n >= p.Col {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
		n++
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors are all errors found in one go, in the order of their places.
type Errors []*Error

func (l Errors) Error() string {
	parts := make([]string, 0, len(l))
	for i, e := range l {
		if i == maxErrors {
			parts = append(parts, fmt.Sprintf("and %d more errors", len(l)-maxErrors))
			break
		}
		parts = append(parts, e.Error())
	}
	return strings.Join(parts, "\n")
}

// Unwrap lets errors.Is and errors.As look into each error.
func (l Errors) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// errorList collects errors. A second one at the same place with the same text is dropped (a
// loop body fails once per layer); of several places in one statement all are kept.
type errorList struct {
	list Errors
	seen map[string]bool
}

func (l *errorList) add(e *Error) {
	if e == nil || e == poisoned {
		return
	}
	key := fmt.Sprintf("%s:%d:%d", e.Pos.File, e.Pos.Line, e.Pos.Col)
	if e.Pos.Line == 0 {
		key += e.Msg
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	if l.seen[key] {
		return
	}
	l.seen[key] = true
	l.list = append(l.list, e)
}

// each adds an error whose place may carry several different messages (one per tensor).
func (l *errorList) each(e *Error) { l.list = append(l.list, e) }

func (l *errorList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	sort.SliceStable(l.list, func(i, j int) bool {
		a, b := l.list[i].Pos, l.list[j].Pos
		return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
	})
	return l.list
}
