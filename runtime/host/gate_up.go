package host

import "dsac/runtime/ref"

// gateUp: see ref/gate_up.go.
func gateUp(e *engine, c *ref.Call) {
	e.plain(c, &c.Args[1], &c.Args[2], nil, &c.Args[3])
}
