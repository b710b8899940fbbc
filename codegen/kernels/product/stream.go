package product

import (
	"dsac/codegen"
)

// stream is the kernel for few rows: it reads each weight once, at the speed of the memory.
//
// The warps of a block share row tiles: split warps have one tile (or one of each weight)
// together, every split-th iteration of it each, and add up their sums in a fixed order. A block
// goes through groups of tiles, as many blocks as the device keeps busy. The next iteration's
// words are always under way while the current one is multiplied, also from one group to the
// next.
//
// Where all of x fits it is staged once. Otherwise it is staged window by window for each group,
// and warps hold several tiles, whose sums wait in shared memory from one window to the next. A few
// blocks may have a part of the columns each, see stream_cluster.go.
type stream struct {
	*job
	slots   int // rows of x that are staged: a power of two
	warps   int
	perSM   int  // blocks that a multiprocessor has room for
	shares  bool // another kernel has part of the room
	cluster int  // blocks that have part of the columns each, see stream_cluster.go; 1: one has all
	split   int  // warps that share a tile
	held    int  // tiles of each weight that a warp has per group
	quantum int  // units of one iteration
	iters   int  // iterations of a tile, of those of a block
	window  int  // iterations whose columns of x are staged at once
	groups  int  // of tiles(), in a batch
	blocks  int  // in a batch, or clusters of them
}

func newStream(j *job) stream {
	s := stream{job: j, slots: pow2(j.rows), quantum: 1, cluster: 1}
	w := j.weights[0]
	if w.chunks() == 1 {
		for _, q := range []int{4, 3, 2} {
			if j.segUnits()%q == 0 && q*w.words() <= 30 {
				s.quantum = q
				break
			}
		}
	}
	s.iters = j.segs * j.segUnits() / s.quantum
	s.choose()
	return s
}

func pow2(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

func (s *stream) resident() bool { return s.window == s.iters }
func (s *stream) threads() int   { return 32 * s.warps }

// tiles are those of each weight in a group.
func (s *stream) tiles() int { return s.warps / s.split * s.held }

// iterChunks are the chunks of an iteration.
func (s *stream) iterChunks() int { return s.quantum * s.weights[0].chunks() }

// Shared memory: staged x, zeros, sums of x, the stage's own, sums of the warps: for two groups
// where no other barrier keeps one from the next; then sums of the blocks of a cluster.
func (s *stream) dataBytes() int { return s.window * s.iterChunks() * rowBytes * s.slots }
func (s *stream) groupsAt() int  { return s.dataBytes() + s.zeroBytes() }
func (s *stream) stageAt() int   { return s.groupsAt() + s.groupBytes() }
func (s *stream) partsAt() int   { return s.stageAt() + (stageBytes(s.slots, s.threads())+15)&^15 }
func (s *stream) inboxAt() int   { return s.partsAt() + s.partsKept()*s.partBytes() }
func (s *stream) shared() int    { return s.inboxAt() + s.inboxBytes() }

func (s *stream) partBytes() int {
	return s.held * len(s.weights) * s.warps * s.slots * tileRows * f32
}

// groupBytes is the shared memory of sums of x.
func (s *stream) groupBytes() int {
	if s.anyApart() {
		return s.window * s.slots * apartBytes
	}
	for _, w := range s.weights {
		if w.whole != nil && !s.tellsApart(w) {
			return s.window * s.slots * sumBytes
		}
	}
	return 0
}
func (s *stream) partsKept() int {
	if s.resident() && s.cluster == 1 {
		return 2
	}
	return 1
}
func (s *stream) launch() codegen.Launch {
	l := codegen.Line(s.blocks*s.cluster, s.threads())
	l.Grid[1] = uint32(s.batch)
	if s.cluster > 1 {
		l.Cluster = s.cluster
	}
	l.Shared = uint32(s.shared())
	return l
}
