package product

import (
	"fmt"

	"dsac/codegen"
)

// Sizes in elements and bytes.
const (
	chunkCols = 64  // columns of a chunk
	rowBytes  = 128 // of a chunk of one token in shared memory
	runCols   = 8   // columns of a run
	runBytes  = 16  // of a run in f16
	tileRows  = 16
	f32       = 4
)

// job is a product at concrete shapes: what differs between the ops. Rows of x that a block
// works on are numbered from 0.
type job struct {
	spec    *codegen.Spec
	weights []*weight // one, or two that share x: gate and up
	args    []int     // their operands
	rows    int       // rows of x that a block can meet: T, or 1 where batches are single rows
	batch   int       // blocks of the grid's second dimension: heads, rows, pairs of row and slot
	typical int       // batches that a stream's shape is chosen for: one shape for several T is one text; 0: batch
	segs    int       // matrices whose products with consecutive parts of a row of x are added up
	x       int       // operand
	wide    bool      // x may be loaded 16 bytes at a time
	block   int       // rows of x of a block where the grid's first dimension counts them, see rowLimit
	down    int       // weight rows of a block where the grid's second dimension counts them and all blocks are full, see height

	// bind emits what a batch needs and returns how it reaches its data.
	bind func(k *codegen.K, batch codegen.I32) bound
	// known gives the matrix of a batch where no memory decides about it, else it is nil.
	known func(batch codegen.I32) codegen.I32
	// value makes a result from the products.
	value func(v []codegen.F32) codegen.F32
}

// bound is a job for one batch. Row numbers are within [0, rows).
type bound struct {
	live   codegen.I32                                              // rows
	row    func(r codegen.I32) codegen.Ptr                          // of x
	matrix func(seg codegen.I32) codegen.I32                        // number of the matrix for a segment
	gain   func(r, seg codegen.I32) codegen.F32                     // factor of a segment of x, nil = 1
	store  func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) // result

	// store in two halves, where it adds to what is there; otherwise nil. A thread may call old
	// for several results before it calls set for them.
	old func(r, col codegen.I32, ok codegen.Pred) codegen.F32
	set func(r, col codegen.I32, ok codegen.Pred, v codegen.F32)
}

// rowLimit is the rows of x that there can be: rows, taken from the grid where that tells, so
// that kernels for different T have one text.
func (j *job) rowLimit(k *codegen.K) codegen.I32 {
	if j.block > 0 && j.rows%j.block == 0 {
		return k.GridX().Mul(j.block)
	}
	return k.I32(j.rows)
}

// height is outs, taken from the grid where that tells, so that kernels for matrices of other
// heights have one text.
func (j *job) height(k *codegen.K) codegen.I32 {
	if j.down > 0 {
		return k.GridY().Mul(j.down)
	}
	return k.I32(j.outs())
}

// columns returns the columns of row r of a result.
func (j *job) columns(k *codegen.K, p codegen.Ptr, r codegen.I32) codegen.Ptr {
	if j.down > 0 {
		return p.Elem(r.I64().Mul(j.height(k).I64()), f32)
	}
	return p.Elem(r, j.outs()*f32)
}

// liveRows returns the live rows of a step. A step has one at least.
func (j *job) liveRows(k *codegen.K) codegen.I32 {
	if j.spec.Rows == 1 {
		return k.I32(1)
	}
	return k.Live().Clamp(0, j.rowLimit(k))
}

// lives says whether a row of a step, which the grid bounds, is live.
func (j *job) lives(k *codegen.K, row codegen.I32) codegen.Pred {
	if j.spec.Rows == 1 {
		return k.Bool(true)
	}
	return row.Lt(k.Live())
}

// cols returns the columns of a segment of x.
func (j *job) cols() int { return j.weights[0].cols }

// outs returns the rows of a weight matrix.
func (j *job) outs() int { return j.weights[0].rows }

// segRuns, segChunks and segUnits count a segment, the padding included.
func (j *job) segUnits() int  { return j.weights[0].units() }
func (j *job) segChunks() int { return j.segUnits() * j.weights[0].chunks() }
func (j *job) segRuns() int   { return j.segChunks() * chunkCols / runCols }

// check says whether the weights fit together.
func (j *job) check() error {
	w := j.weights[0]
	for _, v := range j.weights[1:] {
		if v.rows != w.rows || v.cols != w.cols || v.count != w.count || v.layout.UnitCols != w.layout.UnitCols {
			return fmt.Errorf("weights %s and %s cannot be multiplied together", w.layout.Name, v.layout.Name)
		}
	}
	return nil
}

// sms returns the multiprocessors that grids are sized for. Other numbers only cost speed.
func sms(t *codegen.Target) int {
	if t.SM >= 120 {
		return 188
	}
	return 132
}

// rate is the bytes of weights that a multiprocessor gets in a ns when all read at once.
func rate(t *codegen.Target) float64 {
	if t.SM >= 120 {
		return 8.5
	}
	return 32
}
