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

// stage puts query row t, as f16, and its weights into shared memory. A head is scaled by the
// power of two that brings its largest element to [1, 2), so that nothing leaves the range of
// f16; its weight takes that back, and the scale of the op. Whole warps share the work of a row.
func (c *scorer) stage(k *codegen.K, to codegen.Ptr, t, thread codegen.I32, threads int) {
	per := c.dim / 8 // lanes per head
	qs := k.Arg(0).Elem(t, c.heads*c.dim*f32)
	ws := k.Arg(1).Elem(t, c.heads*f32)
	k.Each(thread, threads, c.groups*8*per, func(i codegen.I32) {
		head, chunk := i.Shr(log2(per)), i.And(per-1)
		ok := head.Lt(c.heads)
		head = head.Min(c.heads - 1)
		p := qs.Elem(head, c.dim*f32).Elem(chunk, 8*f32).When(ok)
		x := append(p.LdF32s(4), p.At(16).LdF32s(4)...)
		w := ws.Elem(head, f32).When(ok).LdF32()

		top := k.F32(0)
		for _, v := range x {
			top = top.Max(v.Abs())
		}
		for d := per / 2; d > 0; d /= 2 {
			top = top.Max(codegen.ShflXor(top, d))
		}
		exp := top.Bits().Shr(23).Clamp(1, 253)
		up, down := k.I32(254).Sub(exp).Shl(23).AsF32(), exp.Shl(23).AsF32()
		for j := range x {
			x[j] = x[j].Mul(up)
		}
		group, column := i.Shr(log2(per)).Shr(3), i.Shr(log2(per)).And(7)
		at := group.Mul(c.dim / 32).Add(chunk.Shr(2)).Mul(32).Add(column.Mul(4)).Add(chunk.And(3))
		to.Elem(at, 16).StI32x4(packEight(k, x))
		k.If(chunk.Eq(0), func() {
			c.weights(to).Elem(i.Shr(log2(per)), f32).StF32(w.Mul(down).Mul(c.scale))
		})
	})
}

// tile scores positions first.. of a warp's tile for rows query rows and hands each lane the
// score of its place. Rows of the cache past last are not read.
func (c *scorer) tile(k *codegen.K, queries codegen.Ptr, first, last, rows codegen.I32, maxRows int, done func(row, pos codegen.I32, score codegen.F32)) {
	lane := k.Lane()
	g, four := lane.Shr(2), lane.And(3)
	keys := make([][][4]codegen.I32, 4) // by row of the tile mod 32 / 8, then block of 32 elements
	for i := range keys {
		pos := first.Add(8*i).Add(g).Min(last).Clamp(0, c.rows-1)
		p := k.Arg(2).Elem(pos, c.dim*c.keys.size).Elem(four, 8*c.keys.size)
		for b := range c.dim / 32 {
			keys[i] = append(keys[i], c.keys.load8(k, p.At(b*32*c.keys.size)))
		}
	}
	pos := place(k, first)
	one := func(r codegen.I32) {
		q := queries.Elem(r, c.shared())
		total := codegen.Lets(4, k.F32(0))
		k.For(0, c.groups, 1, func(j codegen.I32) { c.group(k, q, j, lane, keys, total) })
		sums := make([]codegen.F32, 4)
		for i := range sums {
			sums[i] = k.GroupSum(total[i].Get(), 4)
		}
		even := codegen.Select(four.Eq(0), sums[0], sums[1])
		odd := codegen.Select(four.Eq(2), sums[2], sums[3])
		done(r, pos, codegen.Select(four.Lt(2), even, odd))
	}
	if maxRows == 1 {
		one(k.I32(0))
		return
	}
	k.For(0, rows, 1, one)
}

// place is the position, of a tile's from first on, whose score a lane gets: lanes that differ
// in bits 2 to 4 have eight neighbours.
func place(k *codegen.K, first codegen.I32) codegen.I32 {
	return first.Add(k.Lane().And(3).Mul(8)).Add(k.Lane().Shr(2))
}

// group adds what eight heads give to the four sums of a lane.
func (c *scorer) group(k *codegen.K, q codegen.Ptr, j, lane codegen.I32, keys [][][4]codegen.I32, sums []*codegen.Var[codegen.F32]) {
	var acc [2][4]codegen.F32
	for m := range acc {
		acc[m] = [4]codegen.F32{k.F32(0), k.F32(0), k.F32(0), k.F32(0)}
	}
	for b := range c.dim / 32 {
		u := q.Elem(j, c.dim*16).At(b*32*16).Elem(lane, 16).LdI32x4()
		for half := range 2 {
			for m := range acc {
				lo, hi := keys[2*m][b], keys[2*m+1][b]
				a := [4]codegen.I32{lo[2*half], hi[2*half], lo[2*half+1], hi[2*half+1]}
				acc[m] = k.MmaF16(a, [2]codegen.I32{u[2*half], u[2*half+1]}, acc[m])
			}
		}
	}
	w := c.weights(q).Elem(j, 8*f32).Elem(lane.And(3), 2*f32).LdF32x2()
	for m := range acc {
		for i, x := range acc[m] {
			s := sums[2*m+i/2]
			s.Set(x.Max(0).Fma(w[i%2], s.Get()))
		}
	}
}
