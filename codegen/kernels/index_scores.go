package kernels

import (
	"math"

	"dsac/codegen"
)

// indexScores: scores of the whole cache for a few query rows, in one pass over it. A warp
// scores a tile of positions; tiles are dealt out to blocks first, so that a short context
// keeps many of them busy. Blocks (x, y) have query rows [8y, 8y+8). Positions that a row may
// not see get minus infinity; tiles past the last position read nothing.
func indexScores(s *codegen.Spec) (Kernel, error) {
	const warps = 8
	c, err := newScorer(s)
	if err != nil {
		return Kernel{}, err
	}
	held := min(s.Rows, 8) // query rows of a block
	shared := held * c.shared()
	if err := fits(s, shared); err != nil {
		return Kernel{}, err
	}
	tiles := ceilDiv(c.rows, tileKeys)
	launch := codegen.Line(min(tiles, 2*largestDevice), 32*warps)
	launch.Grid[1] = uint32(ceilDiv(s.Rows, held))
	launch.Shared = uint32(shared)
	blocks := int(launch.Grid[0])
	rowIn := func(t codegen.I32) codegen.I32 { return t } // the grid bounds rows
	if s.Rows%held != 0 {
		rowIn = func(t codegen.I32) codegen.I32 { return t.Min(s.Rows - 1) }
	}
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		k.MinBlocks(blocksOf(c.keys))
		t := k.BlockY().Mul(held) // first query row
		n := k.Live().Sub(t).Min(held)
		k.ReturnIf(n.Le(0))
		seen := k.Pos(c.rows).Add(t) // by the first row: positions up to this one
		queries := k.Dynamic()
		k.For(0, n, 1, func(r codegen.I32) { c.stage(k, queries.Elem(r, c.shared()), t.Add(r), k.Thread(), 32*warps) })
		k.Sync()
		last := seen.Add(n).Sub(1)
		store := func(r, at codegen.I32, x codegen.F32) {
			row := k.Arg(3).Elem(rowIn(t.Add(r)), c.rows*f32)
			if c.rows%tileKeys == 0 {
				row.Elem(at, f32).StF32(x)
				return
			}
			row.Elem(at.Min(c.rows-1), f32).When(at.Lt(c.rows)).StF32(x)
		}
		k.For(k.Warp().Mul(blocks).Add(k.BlockX()), tiles, blocks*warps, func(tile codegen.I32) {
			first := tile.Min(tiles - 1).Mul(tileKeys) // said for the checker
			k.IfElse(first.Le(last), func() {
				c.tile(k, queries, first, last, n, held, func(r, at codegen.I32, x codegen.F32) {
					store(r, at, codegen.Select(at.Le(seen.Add(r)), x, k.F32(math.Inf(-1))))
				})
			}, func() {
				k.For(0, n, 1, func(r codegen.I32) { store(r, first.Add(k.Lane()), k.F32(math.Inf(-1))) })
			})
		})
	}}, nil
}

// largestDevice is the number of multiprocessors that grids are sized for.
const largestDevice = 188

// blocksOf is the number of blocks that a multiprocessor is to hold: converting a cache takes
// registers, of which two blocks leave 128 to a thread.
func blocksOf(keys cacheType) int {
	if keys.async {
		return 2
	}
	return 1
}
