package host

import (
	"fmt"
	"runtime/debug"
)

// Crash is a panic inside an op: the plan is unsound in a way that binding does not check, or
// the host has a bug.
type Crash struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func (c *Crash) Error() string { return fmt.Sprintf("BUG or unsound plan: %v", c.Value) }

// crashed makes a Crash of a recovered value, once.
func crashed(r any) *Crash {
	if c, ok := r.(*Crash); ok {
		return c
	}
	return &Crash{Value: r, Stack: debug.Stack()}
}
