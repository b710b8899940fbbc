package models

import (
	"cmp"
	"fmt"
	"slices"
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

// maxAtPlace is how many errors of one place are shown; a group of weights can lack thousands
// of tensors.
const maxAtPlace = 3

// maxKept bounds the list; more errors than this are not worth counting.
const maxKept = 1000

// errorList collects errors.
type errorList struct{ list Errors }

// add keeps one error of each place: the body of a loop fails in every layer.
func (l *errorList) add(e *Error) {
	if e == nil || e == poisoned || len(l.list) >= maxKept || slices.ContainsFunc(l.list, func(x *Error) bool { return samePlace(x, e) }) {
		return
	}
	l.list = append(l.list, e)
}

// each keeps all errors of one place, such as one per tensor.
func (l *errorList) each(e *Error) { l.list = append(l.list, e) }

// err returns the errors in the order of their places, or nil.
func (l *errorList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	slices.SortStableFunc(l.list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	var out Errors
	for i := 0; i < len(l.list); {
		n := 1
		for i+n < len(l.list) && samePlace(l.list[i+n], l.list[i]) {
			n++
		}
		shown := min(n, maxAtPlace)
		out = append(out, l.list[i:i+shown]...)
		if n > shown {
			out[len(out)-1].Msg += fmt.Sprintf(" (and %d more like it)", n-shown)
		}
		i += n
	}
	return out
}

func samePlace(a, b *Error) bool { return a.Pos.Line == b.Pos.Line && a.Pos.Col == b.Pos.Col }
