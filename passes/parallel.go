package passes

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// parallel calls f for 0 to n-1 on all processors and returns when all calls have. What f
// writes must depend on its argument alone. A panic of a call is one of the caller's.
func parallel(n int, f func(i int)) {
	var (
		next   atomic.Int64
		wait   sync.WaitGroup
		once   sync.Once
		failed any
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { failed = fmt.Sprintf("%v\n%s", r, debug.Stack()) })
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wait.Wait()
	if failed != nil {
		panic(failed)
	}
}
