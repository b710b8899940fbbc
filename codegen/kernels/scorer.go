package kernels

import (
	"fmt"

	"dsac/codegen"
)

// scorer computes the indexer's scores with tensor cores: scale * sum over heads of
// w * relu(q.key). Heads are the rows of the 16x8x16 products and keys their columns: then what a
// lane loads of a key is what it hands to the tensor cores, with no register moved. The keys of a
// tile stay in registers while all query rows pass over them, and queries lie in shared memory in
// the order in which lanes want them.
//
// The order of the inner dimension is free as long as both sides agree: a lane takes 8
// neighbouring elements, 16 bytes, of each 32, so that keys come straight from memory:
//
//	elements of 32:  0..7      8..15     16..23    24..31
//	lane mod 4:      0         1         2         3       words 0, 1: first product; 2, 3: second
type scorer struct {
	heads, dim int
	groups     int // of sixteen heads; those past the last have weight zero
	keys       cacheType
	rows       int // of the cache
	scale      float64
}

// tileKeys is the number of positions that a warp scores at a time.
const tileKeys = 32

func newScorer(s *codegen.Spec) (scorer, error) {
	q, keys := s.Operands[0], s.Operands[2]
	c := scorer{heads: q.Inner(), dim: q.Width(), rows: keys.Shape[0], scale: s.Float("scale")}
	c.groups = ceilDiv(c.heads, 16)
	if c.dim != 32 && c.dim != 64 && c.dim != 128 {
		return c, fmt.Errorf("indexer heads of %d elements: want 32, 64 or 128", c.dim)
	}
	var err error
	c.keys, err = cacheOf(keys)
	return c, err
}

// shared returns the bytes of shared memory per query row: the queries, then the weights.
func (c *scorer) shared() int { return c.groups * 16 * (c.dim*2 + f32) }

// weights returns where the weights of a query row start.
func (c *scorer) weights(row codegen.Ptr) codegen.Ptr { return row.At(c.groups * 16 * c.dim * 2) }

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
		sums := codegen.Lets(8, k.F32(0))
		q := queries.Elem(r, c.shared())
		k.For(0, c.groups, 1, func(j codegen.I32) { c.heads16(k, q, j, 1, keys, sums, 0, 1) })
		done(r, place(k, first), score(k, values(sums)))
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
	sums, q := codegen.Lets(8, k.F32(0)), queries.Elem(last, c.shared())
	zero := rows.Min(0)     // a number that the assembler does not know, or it makes one loop of two
	n := 1 + (c.groups+1)%2 // groups at a time
	for half := range 2 {
		k.For(zero, c.groups, n, func(j codegen.I32) { c.heads16(k, q, j, n, keys.get(), sums, half) })
		next(half)
	}
	done(last, place(k, first), score(k, values(sums)))
}

// heads16 adds what runs of sixteen heads, n from the j-th on, give to the sums of a lane, two for
// each eight keys, for some halves of the tile. The products of several runs, and of several eight
// keys, are independent of each other.
func (c *scorer) heads16(k *codegen.K, q codegen.Ptr, j codegen.I32, n int, keys [4][][4]codegen.I32, sums []*codegen.Var[codegen.F32], halves ...int) {
	lane := k.Lane()
	var eights []int
	for _, h := range halves {
		eights = append(eights, 2*h, 2*h+1)
	}
	acc := make([][4][4]codegen.F32, n)
	for g := range acc {
		acc[g] = [4][4]codegen.F32{zeros4(k), zeros4(k), zeros4(k), zeros4(k)}
	}
	for part := range c.dim / 16 {
		b, w := part/2, part%2*2
		for g := range acc {
			heads := q.Elem(j.Add(g), c.dim*32).At(part*512).Elem(lane, 16).LdI32x4()
			for _, i := range eights {
				acc[g][i] = k.MmaF16(heads, [2]codegen.I32{keys[i][b][w], keys[i][b][w+1]}, acc[g][i])
			}
		}
	}
	for g := range acc {
		w := c.weights(q).Elem(j.Add(g), 16*f32).Elem(lane.Shr(2), 2*f32).LdF32x2()
		for _, i := range eights {
			for e, x := range acc[g][i] {
				s := sums[2*i+e%2]
				s.Set(x.Max(0).Fma(w[e/2], s.Get()))
			}
		}
	}
}

// score is what a lane's place has. Lanes that differ in bits 2 to 4 have sums over different heads
// for the same eight places: each time, a lane keeps half of them, and gives the others away.
func score(k *codegen.K, sums []codegen.F32) codegen.F32 {
	for bit := 16; len(sums) > 1; bit /= 2 {
		upper, n := k.Lane().And(bit).Ne(0), len(sums)/2
		left := make([]codegen.F32, n)
		for i := range left {
			lo, hi := sums[i], sums[n+i]
			left[i] = codegen.Select(upper, hi, lo).Add(codegen.ShflXor(codegen.Select(upper, lo, hi), bit))
		}
		sums = left
	}
	return sums[0]
}

// place is the position, of a tile's from first on, whose score a lane gets: eight lanes have
// eight neighbours, whose lowest bit is bit 2 of the lane.
func place(k *codegen.K, first codegen.I32) codegen.I32 {
	lane := k.Lane()
	return first.Add(lane.And(24)).Add(lane.And(3).Mul(2)).Add(lane.Field(2, 1))
}
