package kernels

import "dsac/codegen"

// blockSums adds integers over the threads of a block. Two rows of shared memory take turns,
// so that one barrier per sum is enough.
type blockSums struct {
	kernel *codegen.K
	warps  int
	part   codegen.Ptr
	turn   *codegen.Var[codegen.I32] // offset of the row to use, in bytes
}

const sumsRow = 32 * 4

func newBlockSums(k *codegen.K, threads int) blockSums {
	return blockSums{k, threads / 32, k.Shared("counts", 2*sumsRow), codegen.Let(k.I32(0))}
}

// exchange gives each lane the number of the warp that it stands for; identity past the last.
func (b *blockSums) exchange(mine codegen.Pred, x codegen.I32, identity int) codegen.I32 {
	k := b.kernel
	row := b.part.At(b.turn.Get())
	b.turn.Set(b.turn.Get().Xor(sumsRow))
	k.If(mine, func() { row.Elem(k.Warp(), 4).StI32(x) })
	k.Sync()
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
	upTo := x
	for d := 1; d < 32; d *= 2 {
		upTo = upTo.Add(codegen.Select(k.Lane().Ge(d), codegen.ShflUp(upTo, d), k.I32(0)))
	}
	before = upTo.Sub(x)
	if b.warps == 1 {
		return before, codegen.ShflIdx(upTo, 31)
	}
	v := b.exchange(k.Lane().Eq(31), upTo, 0)
	earlier := k.WarpSumI32(codegen.Select(k.Lane().Lt(k.Warp()), v, k.I32(0)))
	return before.Add(earlier), k.WarpSumI32(v)
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
		low = k.WarpMinU32(b.exchange(k.Lane().Eq(0), low, -1))
		high = k.WarpMaxU32(b.exchange(k.Lane().Eq(0), high, 0))
	}
	return low.Add(1), high
}
