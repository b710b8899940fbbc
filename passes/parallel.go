package passes

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// parallel calls f for 0 to n-1 on all processors and returns when all calls have. What f
// writes must depend on its argument alone. A panic of a call is one of the caller's.
func parallel(n int, f func(i int)) {
	p := newPool()
	for i := range n {
		p.call(0, func() { f(i) })
	}
	p.close()
}

// pool makes calls on all processors while the caller goes on: the longest first, so that no
// processor is left with one when the others have none.
type pool struct {
	mu      sync.Mutex
	change  sync.Cond // of the next three
	waiting []call
	busy    int
	closed  bool
	workers sync.WaitGroup
	failed  any
}

type call struct {
	length int // to be compared with that of others
	f      func()
}

func newPool() *pool {
	p := &pool{}
	p.change.L = &p.mu
	for range runtime.GOMAXPROCS(0) {
		p.workers.Go(p.work)
	}
	return p
}

// call has f called, which may ask for more calls. What it writes must be its own.
func (p *pool) call(length int, f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, call{length, f})
	p.change.Broadcast()
}

func (p *pool) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.waiting) == 0 {
			if p.closed && p.busy == 0 {
				return
			}
			p.change.Wait()
		}
		next := p.next()
		p.busy++
		p.mu.Unlock()
		err := try(next.f)
		p.mu.Lock()
		p.busy--
		if p.failed == nil {
			p.failed = err
		}
		p.change.Broadcast()
	}
}

// next takes out the longest of the calls that wait, the first of equals.
func (p *pool) next() call {
	at := 0
	for i, c := range p.waiting {
		if c.length > p.waiting[at].length {
			at = i
		}
	}
	c := p.waiting[at]
	p.waiting = slices.Delete(p.waiting, at, at+1)
	return c
}

// try returns what f panics with, if it does.
func try(f func()) (failed any) {
	defer func() {
		if r := recover(); r != nil {
			failed = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	f()
	return nil
}

// close returns when all calls have. A panic of a call is one of the caller's.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.change.Broadcast()
	p.mu.Unlock()
	p.workers.Wait()
	if p.failed != nil {
		panic(p.failed)
	}
}
