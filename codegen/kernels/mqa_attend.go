package kernels

import (
	"math"

	"dsac/codegen"
)

// attend is attention of up to 64 heads of one query row over its whole list, by a block. Two
// warps share 16 heads. Of a tile of 32 gathered rows each sees one half of the elements when
// it scores and one half of the columns when it adds up values; in between each weighs one half
// of the rows. So a gathered row is read from memory once for 64 heads, the queries stay in
// registers, and the next tile is on its way while one is worked on.
//
//	shared memory:  two tiles | weights | half sums | largest scores
//
// The result may be rows of half_rows: then the two warps of 16 heads agree on their largest
// elements too.
type attend struct {
	mqa
	groups int  // of 16 heads in a block
	rounds bool // the result has rows of half_rows
}

const (
	attendTile   = 32
	weightStride = 2*attendTile + 16 // of weights in shared memory, in bytes
)

func mqaAttend(s *codegen.Spec) (Kernel, error) {
	m, err := newMqa(s)
	if err != nil {
		return Kernel{}, err
	}
	a := attend{mqa: m, groups: 1, rounds: s.Operands[4].DType == "f16"}
	for a.groups < 4 && 16*a.groups < a.heads {
		a.groups *= 2
	}
	launch := codegen.Line(s.Rows, 64*a.groups)
	launch.Grid[1] = uint32(ceilDiv(a.heads, 16*a.groups))
	launch.Shared = uint32(a.largestAt() + 2*a.groups*16*f32)
	return Kernel{Launch: launch, Emit: a.emit}, fits(s, int(launch.Shared)+sharedSums)
}

func (a *attend) tileBytes() int { return attendTile * a.stride() }
func (a *attend) weightsAt() int { return 2 * a.tileBytes() }
func (a *attend) halvesAt() int  { return a.weightsAt() + a.groups*16*weightStride }
func (a *attend) largestAt() int { return a.halvesAt() + 2*a.groups*32*32 }

// steps is the number of products over the elements that a warp sees.
func (a *attend) steps() int { return a.width() / 32 }

// attending is a kernel of attend being emitted.
type attending struct {
	*attend
	k           *codegen.K
	memory      codegen.Ptr
	group, half codegen.I32 // of the warp
	head        codegen.I32 // first of the group
	queries     [][4]codegen.I32
	acc         accumulators
	top, sum    []*codegen.Var[codegen.F32] // rows lane/4 and lane/4+8; sum: of this lane's columns
}

func (a *attend) emit(k *codegen.K) {
	k.MinBlocks(1)
	t := k.BlockX()
	k.ReturnIf(t.Ge(k.Live()))
	w := &attending{attend: a, k: k, memory: k.Dynamic(), group: k.Warp().Shr(1), half: k.Warp().And(1)}
	w.head = k.BlockY().Mul(a.groups).Add(w.group).Mul(16)
	length := w.length(t)
	a.gather(k, w.memory, t, k.I32(0), length, attendTile/(2*a.groups))
	k.CopyCommit()
	w.loadQueries(t)
	w.acc = newAccumulators(k, a.rank/16)
	w.top, w.sum = codegen.Lets(2, k.F32(math.Inf(-1))), codegen.Lets(2, k.F32(0))

	tile, other := codegen.Let(k.I32(0)), codegen.Let(k.I32(a.tileBytes()))
	k.For(0, length, attendTile, func(first codegen.I32) {
		k.CopyWait(0)
		k.Sync() // this tile is there, and nobody reads the one before
		k.If(first.Add(attendTile).Lt(length), func() {
			a.gather(k, w.memory.At(other.Get()), t, first.Add(attendTile), length, attendTile/(2*a.groups))
			k.CopyCommit()
		})
		rows := w.memory.At(tile.Get())
		w.weigh(w.join(w.score(rows)), length.Sub(first))
		w.values(rows)
		now := tile.Get()
		tile.Set(other.Get())
		other.Set(now)
	})
	w.store(t)
}

// length counts the entries of the list of row t.
func (w *attending) length(t codegen.I32) codegen.I32 {
	threads := 64 * w.groups
	n := codegen.Let(w.k.I32(0))
	w.k.Each(w.k.Thread(), threads, w.list, func(i codegen.I32) {
		n.Set(n.Get().Add(w.entry(w.k, t, i, w.list).Ge(0).I32()))
	})
	sums := newBlockSums(w.k, threads)
	return sums.sum(n.Get())
}

// pair waits for the other warp with the same heads.
func (w *attending) pair() {
	for g := range w.groups {
		w.k.If(w.group.Eq(g), func() { w.k.SyncPart(1+g, 64) })
	}
}
