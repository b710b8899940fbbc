package kernels

import (
	"math"

	"dsac/codegen"
)

// partial is attention of 16 heads over one part of a list, by a block: blocks (part, heads,
// query row). Tile by tile of the part's rows: each warp scores 8 of them, all warps agree on
// the largest score so far, and each warp adds up its share of the value's columns.
//
//	shared memory:  rows of the tile | queries | weights | largest and sum, by warp and head
//
// The number of parts is that of the grid, so that all numbers for which parts are longer than a
// tile share a kernel.
type partial struct {
	mqa
	short bool // a part is no longer than a tile
	warps int
	tile  int // rows at a time
}

const partHeads = 16 // rows of a product

func mqaPartial(s *codegen.Spec) (Kernel, error) {
	a, err := newMqa(s)
	if err != nil {
		return Kernel{}, err
	}
	p := partial{mqa: a, warps: 8}
	for a.rank/16%p.warps != 0 { // each warp has as many columns
		p.warps /= 2
	}
	p.tile = 8 * p.warps
	parts := s.Int("splits")
	p.short = ceilDiv(a.list, parts) <= p.tile
	launch := codegen.Line(parts, 32*p.warps)
	launch.Grid[1], launch.Grid[2] = uint32(ceilDiv(a.heads, partHeads)), uint32(s.Rows)
	launch.Shared = uint32(p.statsAt() + 2*p.warps*partHeads*f32)
	return Kernel{Launch: launch, Emit: p.emit}, fits(s, int(launch.Shared))
}

func (p *partial) queriesAt() int { return p.tile * p.stride() }
func (p *partial) weightsAt() int { return p.queriesAt() + partHeads*p.stride() }
func (p *partial) statsAt() int   { return p.weightsAt() + partHeads*p.weightStride() }

// weightStride is the distance of rows of weights in shared memory, in bytes.
func (p *partial) weightStride() int { return 2*p.tile + 16 }

func (p *partial) emit(k *codegen.K) {
	k.MinBlocks(1)
	t, group, part := k.BlockZ(), k.BlockY(), k.BlockX()
	k.ReturnIf(t.Ge(k.Live()))
	memory := k.Dynamic()
	size := k.GridX().Add(p.list - 1).UDiv(k.GridX()) // entries of a part
	first := part.Mul(size)
	end := first.Add(size).Min(p.list)
	p.gather(k, memory, t, first, end, 8)
	k.CopyCommit()
	p.mqa.stage(k, memory.At(p.queriesAt()), t, group.Mul(partHeads), partHeads, p.warps)

	acc := newAccumulators(k, p.rank/8/p.warps)
	top := codegen.Lets(2, k.F32(math.Inf(-1)))
	sum := codegen.Lets(2, k.F32(0))
	k.For(0, p.most(size), p.tile, func(base codegen.I32) {
		at := first.Add(base)
		if !p.short {
			k.If(base.Gt(0), func() {
				k.Sync() // the last tile is done with
				p.gather(k, memory, t, at, end, 8)
				k.CopyCommit()
			})
		}
		own := at.Add(k.Warp().Mul(8)).Add(k.Lane().And(3).Mul(2))
		seen := [2]codegen.Pred{p.entry(k, t, own, end).Ge(0), p.entry(k, t, own.Add(1), end).Ge(0)}
		k.CopyWait(0)
		k.Sync()
		p.weigh(k, memory, p.score(k, memory, seen), acc, top, sum)
		p.values(k, memory, acc)
	})
	p.store(k, t, group, part, acc, top, sum)
}

// most is a bound of the loop over a part of size entries.
func (p *partial) most(size codegen.I32) any {
	if p.short {
		return p.tile
	}
	return size
}

// score multiplies the queries with 8 rows of the tile; those not seen give minus infinity.
func (p *partial) score(k *codegen.K, memory codegen.Ptr, seen [2]codegen.Pred) [4]codegen.F32 {
	queries, rows := memory.At(p.queriesAt()), memory.Elem(k.Warp(), 8*p.stride())
	sums := [4][4]codegen.F32{zeros4(k), zeros4(k), zeros4(k), zeros4(k)} // independent of each other
	for b := range p.width() / 32 {
		x, y := rightKeys(k, rows.At(64*b), p.stride())
		i := b % 2 * 2
		sums[i] = k.MmaF16(left(k, queries.At(64*b), p.stride()), x, sums[i])
		sums[i+1] = k.MmaF16(left(k, queries.At(64*b+32), p.stride()), y, sums[i+1])
	}
	var s [4]codegen.F32
	for j := range s {
		x := sums[0][j].Add(sums[1][j]).Add(sums[2][j].Add(sums[3][j]))
		s[j] = codegen.Select(seen[j%2], x, k.F32(math.Inf(-1)))
	}
	return s
}

// weigh turns scores into weights relative to the largest score so far, and scales what was
// added up before to it.
func (p *partial) weigh(k *codegen.K, memory codegen.Ptr, s [4]codegen.F32, acc accumulators, top, sum []*codegen.Var[codegen.F32]) {
	g, four := k.Lane().Shr(2), k.Lane().And(3)
	largest := memory.At(p.statsAt())
	sums := largest.At(p.warps * partHeads * f32)
	// byHead is where a warp leaves its number for row lane/4 + 8i.
	byHead := func(at codegen.Ptr, warp any, i int) codegen.Ptr {
		return at.Elem(warp, partHeads*f32).Elem(g.Add(8*i), f32)
	}
	for i := range 2 {
		m := quadMax(s[2*i].Max(s[2*i+1]))
		k.If(four.Eq(0), func() { byHead(largest, k.Warp(), i).StF32(m) })
	}
	k.Sync()
	var alpha [2]codegen.F32
	for i := range 2 {
		m := top[i].Get()
		for w := range p.warps {
			m = m.Max(byHead(largest, w, i).LdF32())
		}
		base := codegen.Select(m.Eq(math.Inf(-1)), k.F32(0), m)
		alpha[i] = top[i].Get().Sub(base).Ex2()
		top[i].Set(m)
		a, b := s[2*i].Sub(base).Ex2(), s[2*i+1].Sub(base).Ex2()
		memory.At(p.weightsAt()).Elem(g.Add(8*i), p.weightStride()).Elem(k.Warp(), 16).Elem(four, 4).StH2(k.PackH2(a, b))
		total := k.GroupSum(a.Add(b), 4)
		k.If(four.Eq(0), func() { byHead(sums, k.Warp(), i).StF32(total) })
	}
	k.Sync()
	for i := range 2 {
		total := sum[i].Get().Mul(alpha[i])
		for w := range p.warps {
			total = total.Add(byHead(sums, w, i).LdF32())
		}
		sum[i].Set(total)
	}
	acc.scaleRows(alpha)
}

func quadMax(x codegen.F32) codegen.F32 {
	x = x.Max(codegen.ShflXor(x, 1))
	return x.Max(codegen.ShflXor(x, 2))
}

// values adds weights times rows of the tile to this warp's columns.
func (p *partial) values(k *codegen.K, memory codegen.Ptr, acc accumulators) {
	columns := memory.Elem(k.Warp(), 8*2*len(acc))
	for step := range ceilDiv(p.tile, 16) {
		w := left(k, memory.At(p.weightsAt()+32*step), p.weightStride())
		for i := 0; i < len(acc); i += 2 {
			x, y := rightValues(k, columns.At(16*step*p.stride()+16*i), p.stride())
			acc.set(i, k.MmaF16(w, x, acc.get(i)))
			acc.set(i+1, k.MmaF16(w, y, acc.get(i+1)))
		}
	}
}

// store writes rows lane/4 and lane/4+8: sums, then the largest score and the sum of weights.
func (p *partial) store(k *codegen.K, t, group, part codegen.I32, acc accumulators, top, sum []*codegen.Var[codegen.F32]) {
	for i := range 2 {
		head := group.Mul(partHeads).Add(k.Lane().Shr(2)).Add(8 * i)
		k.If(head.Lt(p.heads), func() {
			row := k.Arg(4).Elem(t.Mul(k.GridX()).Add(part).Mul(p.heads).Add(head.Min(p.heads-1)), (p.rank+2)*f32)
			columns := row.Elem(k.Warp(), 8*len(acc)*f32).Elem(k.Lane().And(3), 2*f32)
			for j := range acc {
				x := acc.get(j)
				columns.At(8 * j * f32).StF32x2([2]codegen.F32{x[2*i], x[2*i+1]})
			}
			k.If(k.Warp().Eq(0).And(k.Lane().And(3).Eq(0)), func() {
				row.At(p.rank * f32).StF32x2([2]codegen.F32{top[i].Get().Mul(math.Ln2), sum[i].Get()})
			})
		})
	}
}
