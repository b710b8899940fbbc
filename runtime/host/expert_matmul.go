package host

import "dsac/runtime/ref"

// expertMatmul: see ref/expert_matmul.go.
func expertMatmul(e *engine, c *ref.Call) {
	e.experts(c, &c.Args[1], nil, &c.Args[2], &c.Args[3])
}
