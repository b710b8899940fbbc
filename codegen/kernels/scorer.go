package kernels

import (
	"fmt"

	"dsac/codegen"
)

// scorer computes the indexer's scores with tensor cores: scale * sum over heads of
// w * relu(q.key). Keys are the rows of the 16x8x16 products and heads their columns; the keys
// of a tile stay in registers while all query rows pass over them, and queries lie in shared
// memory in the order in which lanes want them.
//
// The order of the inner dimension is free as long as both sides agree: a lane takes 8
// neighbouring elements, 16 bytes, of each 32, so that keys come straight from memory:
//
//	elements of 32:  0..7      8..15     16..23    24..31
//	lane mod 4:      0         1         2         3       words 0, 1: first product; 2, 3: second
type scorer struct {
	heads, dim int
	groups     int // of eight heads; those past the last have weight zero
	keys       cacheType
	rows       int // of the cache
	scale      float64
}

// tileKeys is the number of positions that a warp scores at a time.
const tileKeys = 32

func newScorer(s *codegen.Spec) (scorer, error) {
	q, keys := s.Operands[0], s.Operands[2]
	c := scorer{heads: q.Inner(), dim: q.Width(), rows: keys.Shape[0], scale: s.Float("scale")}
	c.groups = ceilDiv(c.heads, 8)
	if c.dim != 32 && c.dim != 64 && c.dim != 128 {
		return c, fmt.Errorf("indexer heads of %d elements: want 32, 64 or 128", c.dim)
	}
	var err error
	c.keys, err = cacheOf(keys)
	return c, err
}

// shared returns the bytes of shared memory per query row: the queries, then the weights.
func (c *scorer) shared() int { return c.groups * 8 * (c.dim*2 + f32) }

// weights returns where the weights of a query row start.
func (c *scorer) weights(row codegen.Ptr) codegen.Ptr { return row.At(c.groups * 8 * c.dim * 2) }

// keysOf loads the keys of a warp's tile, by row of the tile / 8, then block of 32 elements. Rows
// of the cache past last are not read.
func (c *scorer) keysOf(k *codegen.K, first, last codegen.I32) (keys [4][][4]codegen.I32) {
	for i := range keys {
		keys[i] = c.eightOf(k, first.Add(8*i), last)
	}
	return keys
}

// eightOf loads a lane's part of eight keys.
func (c *scorer) eightOf(k *codegen.K, first, last codegen.I32) (keys [][4]codegen.I32) {
	pos := first.Add(k.Lane().Shr(2)).Min(last).Clamp(0, c.rows-1)
	p := k.Arg(2).Elem(pos, c.dim*c.keys.size).Elem(k.Lane().And(3), 8*c.keys.size)
	for b := range c.dim / 32 {
		keys = append(keys, c.keys.load8(k, p.At(b*32*c.keys.size)))
	}
	return keys
}

// tile scores the positions of a warp's tile, from first on, for rows query rows, and hands each
// lane the score of its place.
func (c *scorer) tile(k *codegen.K, queries codegen.Ptr, keys [4][][4]codegen.I32, first, rows codegen.I32, maxRows int, done func(row, pos codegen.I32, score codegen.F32)) {
	one := func(r codegen.I32) {
		total := codegen.Lets(4, k.F32(0))
		c.heads8(k, queries.Elem(r, c.shared()), keys, total, 0, 0, 1)
		done(r, place(k, first), c.score(k, total))
	}
	if maxRows == 1 {
		one(k.I32(0))
		return
	}
	k.For(0, rows, 1, one)
}

// ahead is tile, and calls next with 0 and 1 as soon as that half of the keys is not needed any
// more: those of the next tile take its place while the tensor cores work on the other.
func (c *scorer) ahead(k *codegen.K, queries codegen.Ptr, keys *keyVars, first, rows codegen.I32, maxRows int, done func(row, pos codegen.I32, score codegen.F32), next func(half int)) {
	last := k.I32(0)
	if maxRows > 1 {
		last = rows.Sub(1)
		c.tile(k, queries, keys.get(), first, last, maxRows, done)
	}
	total := codegen.Lets(4, k.F32(0))
	zero := rows.Min(0) // a number that the assembler does not know, or it makes one loop of two
	for half := range 2 {
		c.heads8(k, queries.Elem(last, c.shared()), keys.get(), total, zero, half)
		next(half)
	}
	done(last, place(k, first), c.score(k, total))
}

// heads8 adds what all heads give to the sums of a lane, for halves of a tile.
func (c *scorer) heads8(k *codegen.K, q codegen.Ptr, keys [4][][4]codegen.I32, sums []*codegen.Var[codegen.F32], from any, halves ...int) {
	n := 1 + (c.groups+1)%2 // at a time
	k.For(from, c.groups, n, func(j codegen.I32) { c.pairs(k, q, j, n, keys, sums, halves) })
}

// score is what a lane's place has, of the sums of four lanes.
func (c *scorer) score(k *codegen.K, total []*codegen.Var[codegen.F32]) codegen.F32 {
	four := k.Lane().And(3)
	sums := make([]codegen.F32, 4)
	for i := range sums {
		sums[i] = k.GroupSum(total[i].Get(), 4)
	}
	even := codegen.Select(four.Eq(0), sums[0], sums[1])
	odd := codegen.Select(four.Eq(2), sums[2], sums[3])
	return codegen.Select(four.Lt(2), even, odd)
}

// place is the position, of a tile's from first on, whose score a lane gets: lanes that differ
// in bits 2 to 4 have eight neighbours.
func place(k *codegen.K, first codegen.I32) codegen.I32 {
	return first.Add(k.Lane().And(3).Mul(8)).Add(k.Lane().Shr(2))
}

// pairs adds what runs of eight heads, n from the j-th on, give to the four sums of a lane, two for
// each half of the tile. The products of several runs are independent of each other.
func (c *scorer) pairs(k *codegen.K, q codegen.Ptr, j codegen.I32, n int, keys [4][][4]codegen.I32, sums []*codegen.Var[codegen.F32], halves []int) {
	lane := k.Lane()
	acc := make([][2][4]codegen.F32, n)
	for g := range acc {
		acc[g] = [2][4]codegen.F32{zeros4(k), zeros4(k)}
	}
	for b := range c.dim / 32 {
		u := make([][4]codegen.I32, n)
		for g := range u {
			u[g] = q.Elem(j.Add(g), c.dim*16).At(b*32*16).Elem(lane, 16).LdI32x4()
		}
		for half := range 2 {
			for _, m := range halves {
				lo, hi := keys[2*m][b], keys[2*m+1][b]
				a := [4]codegen.I32{lo[2*half], hi[2*half], lo[2*half+1], hi[2*half+1]}
				for g := range acc {
					acc[g][m] = k.MmaF16(a, [2]codegen.I32{u[g][2*half], u[g][2*half+1]}, acc[g][m])
				}
			}
		}
	}
	for g := range acc {
		w := c.weights(q).Elem(j.Add(g), 8*f32).Elem(lane.And(3), 2*f32).LdF32x2()
		for _, m := range halves {
			for i, x := range acc[g][m] {
				s := sums[2*m+i/2]
				s.Set(x.Max(0).Fma(w[i%2], s.Get()))
			}
		}
	}
}
