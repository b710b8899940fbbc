package host

import "dsac/runtime/ref"

// expertGateUp: see ref/expert_gate_up.go.
func expertGateUp(e *engine, c *ref.Call) {
	e.experts(c, &c.Args[1], &c.Args[2], &c.Args[3], &c.Args[4])
}
