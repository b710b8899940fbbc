package kernels

import "dsac/codegen"

// blockSums adds integers over the threads of a block, or over its first warps. Two rows of
// shared memory take turns, so that one barrier per sum is enough; two more are for extremes.
type blockSums struct {
	kernel *codegen.K
	warps  int
	part   codegen.Ptr
	turn   *codegen.Var[codegen.I32] // offset of the row to use, in bytes
	sync   func()                    // waits for these warps
}

const (
	sumsRow    = 32 * 4
	sharedSums = 4 * sumsRow // of newBlockSums
)

func newBlockSums(k *codegen.K, threads int) blockSums {
	return blockSums{k, threads / 32, k.Shared("counts", sharedSums), codegen.Let(k.I32(0)), k.Sync}
}

// newPartSums makes sums over the first threads of a block, whole warps: no others call them.
// They wait at the barrier of this number.
func newPartSums(k *codegen.K, threads, barrier int) blockSums {
	wait := func() { k.SyncPart(barrier, threads) }
	return blockSums{k, threads / 32, k.Shared("part_counts", 2*sumsRow), codegen.Let(k.I32(0)), wait}
}

// exchange gives each lane the number of the warp that it stands for; identity past the last.
func (b *blockSums) exchange(mine codegen.Pred, x codegen.I32, identity int) codegen.I32 {
	k := b.kernel
	row := b.part.At(b.turn.Get())
	b.turn.Set(b.turn.Get().Xor(sumsRow))
	k.If(mine, func() { row.Elem(k.Warp(), 4).StI32(x) })
	b.sync()
	if b.warps == 32 {
		return row.Elem(k.Lane(), 4).LdI32()
	}
	v := row.Elem(k.Lane().Min(b.warps-1), 4).LdI32()
	return codegen.Select(k.Lane().Lt(b.warps), v, k.I32(identity))
}

// sum adds x over the block.
func (b *blockSums) sum(x codegen.I32) codegen.I32 {
	k := b.kernel
	x = k.WarpSumI32(x)
	if b.warps == 1 {
		return x
	}
	return k.WarpSumI32(b.exchange(k.Lane().Eq(0), x, 0))
}

// scan adds x over the threads before this one, and over all.
func (b *blockSums) scan(x codegen.I32) (before, total codegen.I32) {
	k := b.kernel
	before, v := b.before(x)
	if b.warps == 1 {
		return before, codegen.ShflIdx(v, 31)
	}
	return before, k.WarpSumI32(v)
}

// before adds x over the threads before this one; v is what the lanes of a warp have of the sum
// over all: each a warp's, or with one warp only the sums up to themselves.
func (b *blockSums) before(x codegen.I32) (before, v codegen.I32) {
	k := b.kernel
	upTo := x
	for d := 1; d < 32; d *= 2 {
		upTo = upTo.Add(codegen.Select(k.Lane().Ge(d), codegen.ShflUp(upTo, d), k.I32(0)))
	}
	before = upTo.Sub(x)
	if b.warps == 1 {
		return before, upTo
	}
	v = b.exchange(k.Lane().Eq(31), upTo, 0)
	earlier := k.WarpSumI32(codegen.Select(k.Lane().Lt(k.Warp()), v, k.I32(0)))
	return before.Add(earlier), v
}

// extremes returns the smallest and the largest of the keys that are not zero, of which there
// is one.
func (b *blockSums) extremes(keys []codegen.I32) (lo, hi codegen.I32) {
	k := b.kernel
	low, high := k.I32(-1), k.I32(0)
	for _, key := range keys {
		low, high = low.UMin(key.Sub(1)), high.UMax(key) // zero less one is the largest
	}
	low, high = k.WarpMinU32(low), k.WarpMaxU32(high)
	if b.warps > 1 {
		low, high = b.least(low, high)
	}
	return low.Add(1), high
}

// least is the least of what the warps have as low, and most of high, with one barrier.
func (b *blockSums) least(low, high codegen.I32) (codegen.I32, codegen.I32) {
	k := b.kernel
	row := b.part.At(2 * sumsRow).At(b.turn.Get())
	k.If(k.Lane().Eq(0), func() { row.Elem(k.Warp(), 4).StI32(low) })
	high = b.most(high)
	return k.WarpMinU32(row.Elem(k.Lane().Min(b.warps-1), 4).LdI32()), high
}

// most returns the largest of what the warps have, as unsigned numbers.
func (b *blockSums) most(x codegen.I32) codegen.I32 {
	if b.warps == 1 {
		return x
	}
	return b.kernel.WarpMaxU32(b.exchange(b.kernel.Lane().Eq(0), x, 0))
}
