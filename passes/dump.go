package passes

import (
	"fmt"
	"strings"
)

// Known reports whether a pass has that name.
func Known(name string) bool { return find(name) != nil }

// Names lists the passes in order.
func Names() string { return passNames() }

// Dump returns the form of u after the pass that has just run: the graph, then the launches of
// several nodes and the slots once there are any.
func Dump(u *Unit) string { return u.G.Text() + groupText(u) + slotText(u) }

// groupText prints the launches of several nodes, one per line: parts run beside each other, the
// nodes of one after each other.
func groupText(u *Unit) string {
	var b strings.Builder
	for _, g := range u.Groups {
		if len(g.nodes()) == 1 {
			continue
		}
		b.WriteString("launch")
		for i, p := range g {
			if i > 0 {
				b.WriteString(" |")
			}
			for j, n := range p {
				if j > 0 {
					b.WriteString(" then")
				}
				b.WriteString(" " + n.Label)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

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
