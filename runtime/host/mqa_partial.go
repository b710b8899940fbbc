package host

import "dsac/runtime/ref"

// mqaPartial: see ref/mqa_partial.go.
func mqaPartial(e *engine, c *ref.Call) {
	e.att.stat = &c.Args[5]
	e.attend(c, &c.Args[0], &c.Args[1], &c.Args[2], &c.Args[3], &c.Args[4], c.Attrs.Int("splits"))
}
