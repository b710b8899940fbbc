package passes

import (
	"fmt"
	"strings"
)

// Known reports whether a pass has that name.
func Known(name string) bool { return find(name) != nil }

// Names lists the passes in order.
func Names() string { return passNames() }

// Dump returns the form of u after the pass that has just run: the graph, then the slots
// once there are any.
func Dump(u *Unit) string { return u.G.Text() + slotText(u) }

// Archive returns a txtar file that shows the bug again, a golden file as it stands.
func (c *Crash) Archive() string {
	stack := "\t" + strings.ReplaceAll(strings.TrimSpace(c.Stack), "\n", "\n\t")
	return fmt.Sprintf("T=%d R=%d C=%d\npass %s: %v\n%s\n-- in --\n%s", c.T, c.R, c.C, c.Pass, c.Cause, stack, c.Graph)
}

// Caret shows the place, the message, the line and a caret under the column.
func (e *Error) Caret() string {
	if e.Pos.File == "" {
		return e.Msg
	}
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, e.Pos.Text[:min(len(e.Pos.Text), max(0, e.Pos.Col-1))])
	return fmt.Sprintf("%s: %s\n%s\n%s^", e.Pos, e.Msg, e.Pos.Text, pad)
}
