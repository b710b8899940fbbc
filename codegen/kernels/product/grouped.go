package product

import (
	"fmt"

	"dsac/codegen"
	"dsac/runtime/plan"
)

// grouped is the kernel of expert products for many rows: a block has some weight rows of one
// expert and all pairs of row and slot that chose it, which it finds itself. An expert's weights
// are read once for up to slots pairs; the sums of a pair depend on nothing but its own row.
//
//	grid: x = blocks of weight rows, y = experts (and spans): neighbours share rows of x in the L2 cache
//
//	             rows of x: slots
//	           +-----------+
//	weight     | warp 0    |  a warp has turns tiles of 16 weight rows, one after the other, so
//	rows       | warp 1    |  that its weights are a stretch of memory, or per such stretches; it
//	           | ...       |  copies them to shared memory ahead of time (ring), each lane its
//	           +-----------+  own share
//
// Rows of x, which half_rows has rounded, come through shared memory too, a stride of some chunks
// at a time: while one is multiplied, the next is copied.
type grouped struct {
	*job
	slotsOf int // pairs per row
	idx     int // operand of the choices
	spans   int // of rowSpan rows, where the grid tells; otherwise 0
	groupedShape
}

// GroupedRows is the least number of rows for which pairs are grouped.
const GroupedRows = 16

func newGrouped(s *codegen.Spec) (*grouped, error) {
	idx, out := len(s.Operands)-2, len(s.Operands)-1
	y := s.Operands[out]
	j := &job{spec: s, rows: s.Rows, batch: 1, segs: 1, value: first, args: []int{1}}
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
	g.choose()
	if g.slots == 8 && g.rows%rowSpan == 0 {
		g.spans = g.rows / rowSpan
	}
	return g, nil
}

// rowSpan is the rows for each of which the grid has a row of blocks behind those of the experts,
// which end at once: the fewest pairs at a time serve several numbers of rows, and so that their
// kernels have one text, the grid says how many there can be.
const rowSpan = 16

// rowLimit is the rows that there can be.
func (g *grouped) rowLimit(k *codegen.K) codegen.I32 {
	if g.spans == 0 {
		return k.I32(g.rows)
	}
	return k.GridY().Sub(g.weights[0].count).Mul(rowSpan)
}

// lastPair is the number of the last pair that there can be.
func (g *grouped) lastPair(k *codegen.K) codegen.I32 { return g.rowLimit(k).Mul(g.slotsOf).Sub(1) }

func (g *grouped) threads() int     { return 32 * g.warps }
func (g *grouped) rowBlocks() int   { return ceilDiv(g.weights[0].tiles(), g.warps*g.per*g.turns) }
func (g *grouped) bufBytes() int    { return g.stride * rowBytes * g.slots }
func (g *grouped) columnBytes() int { return 2 * g.bufBytes() }

// Shared memory: rings of weights, two buffers of x, the scales of its rows, the list of pairs,
// and the numbers of the finder.
func (g *grouped) scalesAt() int { return g.allRings() + g.columnBytes() }
func (g *grouped) listAt() int   { return g.scalesAt() + f32*g.slots }
func (g *grouped) shared() int   { return g.listAt() + 4*g.slots + 4*(g.warps+3) }

func (g *grouped) launch() codegen.Launch {
	l := codegen.Line(g.rowBlocks(), g.threads())
	l.Grid[1] = uint32(g.weights[0].count + g.spans)
	l.Shared = uint32(g.shared())
	return l
}

func (g *grouped) emit(k *codegen.K) {
	k.MinBlocks(g.blocks)
	if g.spans > 0 {
		k.ReturnIf(k.BlockY().Ge(g.weights[0].count))
	}
	mem := k.Dynamic()
	f := finder{grouped: g, k: k, expert: k.BlockY(), list: mem.At(g.listAt())}
	f.counts = f.list.At(4 * g.slots)
	f.at = f.counts.At(4 * g.warps)
	f.turn = f.at.At(8)
	f.each(func(n codegen.I32) { f.multiply(n, mem) })
}

// pair returns the number of a pair of the list, of which n are there.
func (f *finder) pair(r, n codegen.I32) codegen.I32 {
	return f.list.Elem(r.Min(n.Sub(1)), 4).LdI32().Clamp(0, f.lastPair(f.k))
}

// row returns the row of x of a pair.
func (f *finder) row(pair codegen.I32) codegen.Ptr {
	x := f.spec.Operands[0]
	if len(x.Shape) == 2 {
		pair = pair.UDiv(f.slotsOf)
	}
	return f.k.Arg(0).Elem(pair, x.Width()*plan.HalfBytes)
}

// bound is the job for the n pairs of the list.
func (f *finder) bound(n codegen.I32) bound {
	out := len(f.spec.Operands) - 1
	y := f.spec.Operands[out]
	return bound{
		live:   n,
		row:    func(r codegen.I32) codegen.Ptr { return f.row(f.pair(r, n)) },
		matrix: func(codegen.I32) codegen.I32 { return f.expert },
		store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
			f.k.Arg(out).Elem(f.pair(r, n), y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
		},
	}
}
