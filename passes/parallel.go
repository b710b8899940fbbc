package passes

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// parallel calls f for 0 to n-1 on all processors and returns when all calls have. What f
// writes must depend on its argument alone. A panic of a call is one of the caller's.
func parallel(n int, f func(i int)) {
	p := newPool()
	for i := range n {
		p.call(func() { f(i) })
	}
	p.close()
}

// pool makes calls on all processors, in order, while the caller goes on.
type pool struct {
	calls  chan func()
	wait   sync.WaitGroup
	once   sync.Once
	failed any
}

// queued is how many calls may wait before the caller does.
const queued = 256

func newPool() *pool {
	p := &pool{calls: make(chan func(), queued)}
	for range runtime.GOMAXPROCS(0) {
		p.wait.Go(func() {
			for f := range p.calls {
				p.try(f)
			}
		})
	}
	return p
}

// call has f called. What it writes must be its own.
func (p *pool) call(f func()) { p.calls <- f }

func (p *pool) try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			p.once.Do(func() { p.failed = fmt.Sprintf("%v\n%s", r, debug.Stack()) })
		}
	}()
	f()
}

// close returns when all calls have. A panic of a call is one of the caller's.
func (p *pool) close() {
	close(p.calls)
	p.wait.Wait()
	if p.failed != nil {
		panic(p.failed)
	}
}
