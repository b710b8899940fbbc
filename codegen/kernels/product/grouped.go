package product

import (
	"fmt"

	"dsac/codegen"
)

// grouped is the kernel of expert products for many rows: a block has some weight rows of one
// expert and all pairs of row and slot that chose it, which it finds itself. An expert's weights
// are read once for up to slots pairs; the sums of a pair depend on nothing but its own row.
//
//	grid: x = blocks of weight rows, y = experts: neighbours share rows of x in the L2 cache
//
//	             rows of x: slots
//	           +-----------+
//	weight     | warp 0    |  a warp has turns tiles of 16 weight rows, one after the other, so
//	rows       | warp 1    |  that its weights are a stretch of memory, or per such stretches; it
//	           | ...       |  copies them to shared memory ahead of time (ring), each lane its
//	           +-----------+  own share
//
// Rows of x, rounded to f16, come through shared memory too, a stride of some chunks at a time:
// while one is multiplied, the next is loaded.
type grouped struct {
	*job
	slotsOf int // pairs per row
	idx     int // operand of the choices
	groupedShape
}

// groupedShape is what can be chosen freely: results do not depend on it.
type groupedShape struct {
	warps  int
	slots  int // rows of x at a time: a multiple of 16
	ahead  int // chunks of weights that are under way
	per    int // tiles of each weight that a warp multiplies at once
	turns  int // times that it does so
	stride int // chunks of x between two barriers: 1 or 2
	blocks int // of a multiprocessor, which limits registers
}

// GroupedRows is the least number of rows for which pairs are grouped.
const GroupedRows = 16

// groupedBytes bounds the shared memory of a block, besides the lists.
const groupedBytes = 96 << 10

func newGrouped(s *codegen.Spec) (*grouped, error) {
	idx, out := len(s.Operands)-2, len(s.Operands)-1
	x, y := s.Operands[0], s.Operands[out]
	j := &job{spec: s, rows: s.Rows, batch: 1, segs: 1, wide: wide(x), value: first, args: []int{1}}
	if s.Op == "expert_gate_up" {
		j.args, j.value = []int{1, 2}, siluMul
	}
	if err := j.bindWeights(); err != nil {
		return nil, err
	}
	if n := s.Rows * y.Inner(); n > 1<<30 {
		return nil, fmt.Errorf("%d pairs of row and slot, their numbers are 30 bits", n)
	}
	g := &grouped{job: j, slotsOf: y.Inner(), idx: idx}
	g.groupedShape = g.choose()
	return g, nil
}

// choose takes tall blocks of sixteen warps while an expert has few rows, so that rows of x are
// staged for many weight rows at once; with many rows, their sums take so many registers that
// eight warps are left. Most experts then need no second go over their weights.
func (g *grouped) choose() groupedShape {
	mean := g.rows * g.slotsOf / g.weights[0].count
	few := groupedShape{warps: 16, slots: min(32, max(16, (mean*3/2+15)/16*16)), per: 1, stride: 2, blocks: 1}
	many := groupedShape{warps: 8, slots: min(96, (mean*5/4+15+15)/16*16), per: 1, stride: 2, blocks: 1}
	s := few
	if mean > 24 {
		s = many
	}
	if g.segChunks()%2 != 0 {
		s.stride = 1
	}
	for s.ahead = 4; ; {
		g.groupedShape = s
		switch {
		case g.allRings()+g.columnBytes() <= groupedBytes:
			s.turns = g.chooseTurns()
			return s
		case s.ahead > 2*g.weights[0].chunks():
			s.ahead--
		case s.warps > 8:
			s.warps = 8
		case s.stride > 1:
			s.stride = 1
		default:
			s.warps /= 2
		}
	}
}

// chooseTurns makes a warp's stretch of weights as long as some six thousand columns, which
// costs less than what a block does before, but leaves enough blocks to fill the device evenly.
func (g *grouped) chooseTurns() int {
	tiles := ceilDiv(g.weights[0].tiles(), g.warps*g.per)
	turns := max(1, 6144/(g.segChunks()*chunkCols))
	for turns > 1 && ceilDiv(tiles, turns)*g.weights[0].count < 8*sms(g.spec.Target) {
		turns--
	}
	return min(turns, tiles)
}

func (g *grouped) threads() int     { return 32 * g.warps }
func (g *grouped) rowBlocks() int   { return ceilDiv(g.weights[0].tiles(), g.warps*g.per*g.turns) }
func (g *grouped) bufBytes() int    { return g.stride * rowBytes * g.slots }
func (g *grouped) columnBytes() int { return 2 * g.bufBytes() }

// Shared memory: rings of weights, two buffers of x, what the stage needs, the list of pairs,
// and a number per warp.
func (g *grouped) stageAt() int { return g.allRings() + g.columnBytes() }
func (g *grouped) listAt() int  { return g.stageAt() + (stageBytes(g.slots, g.threads())+15)&^15 }
func (g *grouped) shared() int  { return g.listAt() + 4*g.slots + 4*g.warps }

func (g *grouped) launch() codegen.Launch {
	l := codegen.Line(g.rowBlocks(), g.threads())
	l.Grid[1] = uint32(g.weights[0].count)
	l.Shared = uint32(g.shared())
	return l
}

func (g *grouped) emit(k *codegen.K) {
	k.MinBlocks(g.blocks)
	mem := k.Dynamic()
	f := finder{grouped: g, k: k, expert: k.BlockY(), list: mem.At(g.listAt())}
	f.counts = f.list.At(4 * g.slots)
	f.total = k.Rows(g.rows).Mul(g.slotsOf)
	f.each(func(n codegen.I32) { f.multiply(n, mem) })
}

// pair returns the number of a pair of the list, of which n are there.
func (f *finder) pair(r, n codegen.I32) codegen.I32 {
	return f.list.Elem(r.Min(n.Sub(1)), 4).LdI32().Clamp(0, f.rows*f.slotsOf-1)
}

// source returns the row of x of a pair, row its address.
func (f *finder) source(pair codegen.I32) codegen.I32 {
	if len(f.spec.Operands[0].Shape) == 2 {
		return pair.UDiv(f.slotsOf)
	}
	return pair
}

func (f *finder) row(source codegen.I32) codegen.Ptr {
	x := f.spec.Operands[0]
	return f.k.Arg(0).Elem(source, x.Width()*f32).At(x.Col * f32)
}

// bound is the job for the n pairs of the list.
func (f *finder) bound(n codegen.I32) bound {
	out := len(f.spec.Operands) - 1
	y := f.spec.Operands[out]
	return bound{
		live:   n,
		row:    func(r codegen.I32) codegen.Ptr { return f.row(f.source(f.pair(r, n))) },
		matrix: func(codegen.I32) codegen.I32 { return f.expert },
		store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
			f.k.Arg(out).Elem(f.pair(r, n), y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
		},
	}
}
