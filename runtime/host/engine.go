package host

import (
	"dsac/runtime/ref"
)

// engine is what fast ops run on: the worker pool and scratch that lives across calls.
type engine struct {
	pool pool
	prod product
	att  attention
	idx  index

	// Intermediate rows of fused ops, indexed like rows of the op's output.
	tmp [2]ref.Arg
	arg [3]ref.Arg // operands of the parts of a composed op
}

// kernel is the host's fast version of an op. It must give what the op's reference gives; the
// order of every float64 sum is the reference's, so that most agree bit for bit.
type kernel func(e *engine, c *ref.Call)

func newEngine(workers int) *engine {
	e := &engine{}
	e.pool.start(e, workers)
	return e
}

// close stops the workers. The engine must be idle.
func (e *engine) close() { e.pool.stop() }

// rows runs a row-wise reference op over its live rows, split over the workers when there is
// enough to do.
func (e *engine) rows(c *ref.Call, run ref.Func) {
	elems := 0
	for i := range c.Args {
		if a := &c.Args[i]; len(a.Shape) > 1 {
			elems = max(elems, a.Inner()*a.Cols)
		}
	}
	parts := min(c.N, len(e.pool.workers)*4)
	if c.N*elems < inlineElems {
		parts = 1
	}
	e.pool.ref, e.pool.parts = run, parts
	e.pool.each(c, parts, parts*inlineCost, runRows)
}

func runRows(e *engine, c *ref.Call, w *worker, i int) {
	w.call = *c
	w.call.Work = &w.work
	w.call.Lo, w.call.Hi = c.N*i/e.pool.parts, c.N*(i+1)/e.pool.parts
	e.pool.ref(&w.call)
	w.call = ref.Call{}
}

// inlineElems is the number of elements below which waking a worker costs more than it saves.
const inlineElems = 1 << 13
