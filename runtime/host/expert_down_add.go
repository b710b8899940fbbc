package host

import "dsac/runtime/ref"

// expertDownAdd: see ref/expert_down_add.go.
func expertDownAdd(e *engine, c *ref.Call) { e.down(c, &c.Args[4], &c.Args[5]) }
