package host

import "dsac/runtime/ref"

// matmulAdd: see ref/matmul_add.go. Each element of res is read just before the element of y
// in its place is written, so y may be res.
func matmulAdd(e *engine, c *ref.Call) {
	e.plain(c, &c.Args[1], nil, &c.Args[2], &c.Args[3])
}
