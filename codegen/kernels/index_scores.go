package kernels

import (
	"fmt"
	"math"

	"dsac/codegen"
	"dsac/ir/ops"
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
	tiles, width := ceilDiv(c.rows, tileKeys), s.Operands[3].Width()
	if want := ops.ScoreWidth(c.rows); width != want {
		return Kernel{}, fmt.Errorf("rows of %d scores for a context of %d: want %d", width, c.rows, want)
	}
	launch := codegen.Line(min(tiles, blocksOf(c.keys)*s.Target.SMs), 32*warps)
	launch.Grid[1] = uint32(ceilDiv(s.Rows, held))
	launch.Shared = uint32(shared)
	blocks := int(launch.Grid[0])
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		k.MinBlocks(blocksOf(c.keys))
		t := k.BlockY().Mul(held) // first query row
		n := k.Rows(s.Rows).Sub(t).Min(held)
		seen := k.Pos(c.rows).Add(t) // by the first row: positions up to this one
		k.ReturnIf(n.Le(0))
		last := seen.Add(n).Sub(1)
		store := func(r, at codegen.I32, x codegen.F32) {
			row := k.Arg(3).Elem(t.Add(r).Min(s.Rows-1), width*f32)
			storeTop(k, row.At(c.rows*f32), at, x)
			if c.rows%tileKeys == 0 {
				row.Elem(at, f32).StF32(x)
				return
			}
			row.Elem(at.Min(c.rows-1), f32).When(at.Lt(c.rows)).StF32(x)
		}
		// The keys of a warp's first tile are under way while queries are staged.
		own := k.Warp().Mul(blocks).Add(k.BlockX())
		keys := c.keyVars(k)
		load := func(first codegen.I32, half int) {
			k.If(first.Le(last), func() {
				for i := 2 * half; i < 2*half+2; i++ {
					keys.set(i, c.eightOf(k, first.Add(8*i), last))
				}
			})
		}
		load(own.Mul(tileKeys), 0)
		load(own.Mul(tileKeys), 1)
		queries := k.Dynamic()
		c.stage(k, queries, t, n, held-1, held, 32*warps)
		k.Sync()
		k.For(own, tiles, blocks*warps, func(tile codegen.I32) {
			first := tile.Min(tiles - 1).Mul(tileKeys) // said for the checker
			k.IfElse(first.Le(last), func() {
				done := func(r, at codegen.I32, x codegen.F32) {
					store(r, at, codegen.Select(at.Le(seen.Add(r)), x, k.F32(math.Inf(-1))))
				}
				next := func(half int) { load(first.Add(blocks*warps*tileKeys), half) }
				if s.Part { // one kernel with others leaves no registers for that
					c.tile(k, queries, keys.get(), first, n, held, done)
					next(0)
					next(1)
					return
				}
				c.ahead(k, queries, &keys, first, n, held, done, next)
			}, func() {
				k.For(0, n, 1, func(r codegen.I32) { store(r, place(k, first), k.F32(math.Inf(-1))) })
			})
		})
	}}, nil
}

// keyVars are the keys of a tile, loaded ahead.
type keyVars [4][][4]*codegen.Var[codegen.I32]

func (c *scorer) keyVars(k *codegen.K) (v keyVars) {
	for i := range v {
		for range c.dim / 32 {
			v[i] = append(v[i], [4]*codegen.Var[codegen.I32](codegen.Lets(4, k.I32(0))))
		}
	}
	return v
}

func (v *keyVars) get() (keys [4][][4]codegen.I32) {
	for i := range v {
		for _, words := range v[i] {
			var x [4]codegen.I32
			for j := range x {
				x[j] = words[j].Get()
			}
			keys[i] = append(keys[i], x)
		}
	}
	return keys
}

// set replaces eight keys.
func (v *keyVars) set(i int, keys [][4]codegen.I32) {
	for b, words := range v[i] {
		for j := range words {
			words[j].Set(keys[b][j])
		}
	}
}

// storeTop writes the largest score of each run of a tile, of which a lane has the one at
// place.
func storeTop(k *codegen.K, row codegen.Ptr, at codegen.I32, x codegen.F32) {
	for d := 1; d < 8; d *= 2 {
		x = x.Max(codegen.ShflXor(x, d))
	}
	k.If(k.Lane().And(7).Eq(0), func() { row.Elem(at.Shr(log2(ops.TopRun)), f32).StF32(x) })
}

// blocksOf is the number of blocks that a multiprocessor is to hold: converting a cache takes
// registers, of which two blocks leave 128 to a thread.
func blocksOf(keys cacheType) int {
	if keys.async {
		return 2
	}
	return 1
}
