package product

import (
	"math"

	"dsac/codegen"
)

// Blocks that multiply different columns. A block that has all columns of its tiles stages all of
// x; of many columns and rows there is no room for that at once, and all blocks together read more
// of x than of the weights. In a cluster each block has a part of the columns instead, and stages
// only their x. Its sums of a result it gives to the block that finishes the result, which adds up
// what it gets in the order of the columns.
//
// Rows too large for f16 have a factor for each block, taken out of its sums before it gives them. A row
// with infinities is counted by the first block that stages one.

// clusterSizes are those to choose from. Kernels that share a launch with others have no clusters,
// nor have those of batches, which are many blocks with little x, and of one row or two, which have
// no registers left and little x too.
func (s *stream) clusterSizes() []int {
	if s.spec.Part || s.batch > 1 || s.segs > 1 || s.slots <= apartRows || !s.spec.Target.Clusters() {
		return []int{1}
	}
	return []int{1, 2, 4}
}

// inboxBytes is the shared memory for what the blocks of a cluster give each other, of two groups: some
// still read what they got for one while others are through with the next.
func (s *stream) inboxBytes() int {
	if s.cluster == 1 {
		return 0
	}
	return 2 * s.cluster * len(s.weights) * s.results() * f32
}

// slot is where the sum of weight m from a block of the cluster lies for a result.
func (e *streaming) slot(m int, from, result codegen.I32) codegen.Ptr {
	box := e.inbox.Elem(e.parity, e.inboxBytes()/2)
	return box.Elem(from.Mul(len(e.weights)).Add(m), e.results()*f32).Elem(result, f32)
}

// gather waits until all blocks of the cluster have started: their shared memory is there then.
func (e *streaming) gather() {
	if e.cluster > 1 {
		e.k.ClusterWait()
	}
}

// exchange gives each block of the cluster what this one has for its results.
func (e *streaming) exchange() {
	k, results := e.k, e.results()
	k.For(k.Thread(), results*e.cluster, e.threads(), func(o codegen.I32) {
		to := o.UDiv(results)
		for m := range e.weights {
			e.slot(m, e.rank, o.Sub(to.Mul(results))).Peer(to).StF32(e.total(m, e.place(o)))
		}
	})
	k.ClusterSync()
}

// received adds up what the blocks of the cluster gave for a result.
func (e *streaming) received(m int, result codegen.I32) codegen.F32 {
	sum := e.slot(m, e.k.I32(0), result).LdF32()
	for from := 1; from < e.cluster; from++ {
		sum = sum.Add(e.slot(m, e.k.I32(from), result).LdF32())
	}
	return sum
}

// stride is the number of groups that are multiplied at once.
func (e *streaming) stride() codegen.I32 { return e.k.GridX().UDiv(e.cluster) }

// firstChunk is the first of x that is the block's.
func (e *streaming) firstChunk() codegen.I32 { return e.rank.Mul(e.iters * e.iterChunks()) }

// span is columns of x, those before to.
type span struct{ from, to codegen.I32 }

// own is the columns that the block stages, nil for all.
func (e *streaming) own() *span {
	if e.cluster == 1 {
		return nil
	}
	from := e.firstChunk().Mul(chunkCols)
	return &span{from, from.Add(e.iters * e.iterChunks() * chunkCols)}
}

// Magnitudes of a row from which factors are made: what is infinite in the block's columns is the
// largest finite number, finite ones are below it, and infinite means columns of earlier blocks.
var belowLargest = math.Nextafter32(math.MaxFloat32, 0)

// magnitude is what v, the magnitude of column c, counts as.
func (s *span) magnitude(k *codegen.K, c codegen.I32, v codegen.F32) codegen.F32 {
	infinite := v.Eq(math.Inf(1))
	before := codegen.Select(infinite, v, k.F32(0))
	own := codegen.Select(infinite, k.F32(math.MaxFloat32), codegen.Select(v.Gt(float64(belowLargest)), k.F32(float64(belowLargest)), v))
	return codegen.Select(c.Lt(s.from), before, codegen.Select(c.Lt(s.to), own, k.F32(0)))
}
