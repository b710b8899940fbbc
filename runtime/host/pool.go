package host

import (
	"sync"
	"sync/atomic"

	"dsac/runtime/ref"
)

// pool runs the items of one task at a time over a fixed set of workers. Which worker takes
// which item has no influence on results: every item writes memory of its own. A dispatch
// allocates nothing.
type pool struct {
	workers []*worker // workers[0] is the caller
	wake    []chan struct{}
	done    sync.WaitGroup

	// The current task.
	engine *engine
	call   *ref.Call
	task   task
	items  int64
	next   atomic.Int64

	ref   ref.Func // of runRows
	parts int

	mu     sync.Mutex
	failed *Crash
}

// task computes item i of a call; it must be a plain function, not a closure.
type task func(e *engine, c *ref.Call, w *worker, i int)

// worker is the memory of one worker.
type worker struct {
	work ref.Work
	call ref.Call          // of runRows
	sums [4][lanes]float64 // of a call of wide
}

func (p *pool) start(e *engine, workers int) {
	p.engine = e
	for i := range max(workers, 1) {
		p.workers = append(p.workers, &worker{})
		if i > 0 {
			wake := make(chan struct{}, 1)
			p.wake = append(p.wake, wake)
			go p.help(wake, p.workers[i])
		}
	}
}

func (p *pool) stop() {
	for _, wake := range p.wake {
		close(wake)
	}
	p.wake = nil
}

func (p *pool) help(wake chan struct{}, w *worker) {
	for range wake {
		p.drain(w)
		p.done.Done()
	}
}

// inlineCost is the number of multiply-adds, or what takes as long, below which waking a
// worker costs more than it saves.
const inlineCost = 1 << 16

// each runs the task for items 0..items-1. cost is the work in all of them together, in
// multiply-adds.
func (p *pool) each(c *ref.Call, items, cost int, t task) {
	if items == 0 {
		return
	}
	helpers := min(len(p.wake), items-1)
	if cost < inlineCost {
		helpers = 0
	}
	p.call, p.task, p.items = c, t, int64(items)
	p.next.Store(0)
	p.done.Add(helpers)
	for _, wake := range p.wake[:helpers] {
		wake <- struct{}{}
	}
	p.drain(p.workers[0])
	p.done.Wait()
	p.call, p.task = nil, nil
	if f := p.failed; f != nil {
		p.failed = nil
		panic(f)
	}
}

// drain takes items until none is left. A panic ends the task for all workers.
func (p *pool) drain(w *worker) {
	defer p.catch()
	for {
		i := p.next.Add(1) - 1
		if i >= p.items {
			return
		}
		p.task(p.engine, p.call, w, int(i))
	}
}

func (p *pool) catch() {
	if r := recover(); r != nil {
		p.next.Store(p.items)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.failed == nil {
			p.failed = crashed(r)
		}
	}
}
