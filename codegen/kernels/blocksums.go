package kernels

import "dsac/codegen"

// blockSums adds integers over the threads of a block. Two rows of shared memory take turns, so that
// one barrier per sum is enough; two more are for extremes.
type blockSums struct {
	kernel *codegen.K
	warps  int
	part   codegen.Ptr
	turn   *codegen.Var[codegen.I32] // offset of the row to use, in bytes
}

const (
	sumsRow    = 32 * 4
	sharedSums = 4 * sumsRow
)

func newBlockSums(k *codegen.K, threads int) blockSums {
	return blockSums{k, threads / 32, k.Shared("counts", sharedSums), codegen.Let(k.I32(0))}
}

// next returns the row to use.
func (b *blockSums) next() codegen.Ptr {
	row := b.part.At(b.turn.Get())
	b.turn.Set(b.turn.Get().Xor(sumsRow))
	return row
}

// exchange gives each lane the number of the warp that it stands for; identity past the last.
func (b *blockSums) exchange(mine codegen.Pred, x codegen.I32, identity int) codegen.I32 {
	k := b.kernel
	row := b.next()
	k.If(mine, func() { row.Elem(k.Warp(), 4).StI32(x) })
	k.Sync()
	return b.ofWarps(row, b.warps, identity)
}

// ofWarps gives each lane what the warp that it stands for left in a row; identity past the last of
// so many.
func (b *blockSums) ofWarps(row codegen.Ptr, warps, identity int) codegen.I32 {
	k := b.kernel
	if warps == 32 {
		return row.Elem(k.Lane(), 4).LdI32()
	}
	v := row.Elem(k.Lane().Min(warps-1), 4).LdI32()
	return codegen.Select(k.Lane().Lt(warps), v, k.I32(identity))
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
	upTo := sumUpTo(x)
	before = upTo.Sub(x)
	if b.warps == 1 {
		return before, upTo
	}
	v = b.exchange(k.Lane().Eq(31), upTo, 0)
	return before.Add(b.earlier(v)), v
}

// earlier adds up what lanes have of the warps before this one.
func (b *blockSums) earlier(v codegen.I32) codegen.I32 {
	k := b.kernel
	return k.WarpSumI32(codegen.Select(k.Lane().Lt(k.Warp()), v, k.I32(0)))
}

// sumUpTo adds x over the lanes of the warp up to this one.
func sumUpTo(x codegen.I32) codegen.I32 {
	k := codegen.KernelOf(x)
	for d := 1; d < 32; d *= 2 {
		x = x.Add(codegen.Select(k.Lane().Ge(d), codegen.ShflUp(x, d), k.I32(0)))
	}
	return x
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
