package product

import "dsac/codegen"

// grouped is the kernel of expert products for many rows: a block has some weight rows of one
// expert and all pairs of row and slot that chose it. It finds the pairs itself, in ascending
// order, by going through the whole list of choices; the sums of a pair depend on nothing but
// its own row.
//
//	grid: x = blocks of weight rows, y = experts
type grouped struct {
	tiled
	slotsOf int // pairs per row
	idx     int // operand of the choices
}

// groupedRows is the least number of rows for which pairs are grouped.
const groupedRows = 16

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
	g := &grouped{slotsOf: y.Inner(), idx: idx}
	// Room for one and a half times the average number of pairs, so that most experts take one
	// turn.
	mean := s.Rows * g.slotsOf / j.weights[0].count
	slots := min(96/len(j.weights), max(16, (mean*3/2+15)/16*16))
	g.tiled = tiled{job: j, slots: slots, across: 1, per: 1, guard: true}
	if slots*len(j.weights) > 128 {
		g.across = 2
	}
	return g, nil
}

func (g *grouped) launch() codegen.Launch {
	l := codegen.Line(g.rowBlocks(), g.threads())
	l.Grid[1] = uint32(g.weights[0].count)
	l.Shared = uint32(g.tiled.shared() + g.listBytes() + 64)
	return l
}

// listBytes holds the pairs found and not yet multiplied: one turn's and a block of choices.
func (g *grouped) listBytes() int { return 4 * (g.slots + g.threads()) }

func (g *grouped) emit(k *codegen.K) {
	k.MinBlocks(1)
	s, mem := g.spec, k.Dynamic()
	list := mem.At(g.tiled.shared())
	counts := list.At(g.listBytes()) // of the warps
	x, y := s.Operands[0], s.Operands[len(s.Operands)-1]
	pairs := s.Rows * g.slotsOf
	total := k.Rows(s.Rows).Mul(g.slotsOf)
	expert := k.BlockY()
	from, have := codegen.Let(k.I32(0)), codegen.Let(k.I32(0))
	k.While(func() codegen.Pred { return from.Get().Lt(total).Or(have.Get().Gt(0)) }, func() {
		k.While(func() codegen.Pred { return from.Get().Lt(total).And(have.Get().Lt(g.slots)) }, func() {
			have.Set(have.Get().Add(g.find(k, from.Get(), total, expert, have.Get(), list, counts)))
			from.Set(from.Get().Add(g.threads()))
		})
		n := have.Get().Min(g.slots)
		pair := func(r codegen.I32) codegen.I32 { return list.Elem(r, 4).LdI32().Clamp(0, pairs-1) }
		k.If(n.Gt(0), func() {
			g.product(k, bound{
				live: n,
				row: func(r codegen.I32) codegen.Ptr {
					p := pair(r.Min(n.Sub(1)))
					if len(x.Shape) == 2 {
						p = p.UDiv(g.slotsOf)
					}
					return k.Arg(0).Elem(p, x.Width()*f32).At(x.Col * f32)
				},
				matrix: func(codegen.I32) codegen.I32 { return expert },
				store: func(r, col codegen.I32, ok codegen.Pred, v codegen.F32) {
					k.Arg(len(s.Operands)-1).Elem(pair(r.Min(n.Sub(1))), y.Width()*f32).Elem(col, f32).When(ok).StF32(v)
				},
			}, k.BlockX(), mem, k.BlockX().Eq(0))
			k.Sync()
		})
		// What is left over moves to the front.
		rest := have.Get().Sub(n)
		moved := codegen.Let(k.I32(0))
		mine := k.Thread().Lt(rest)
		k.If(mine, func() { moved.Set(list.Elem(n.Add(k.Thread()), 4).LdI32()) })
		k.Sync()
		k.If(mine, func() { list.Elem(k.Thread(), 4).StI32(moved.Get()) })
		have.Set(rest)
		k.Sync()
	})
}

// find appends the pairs among [from, from+threads) that chose the expert to the list, which
// has have of them, and returns how many there were.
func (g *grouped) find(k *codegen.K, from, total, expert, have codegen.I32, list, counts codegen.Ptr) codegen.I32 {
	i := from.Add(k.Thread())
	in := i.Lt(total)
	last := g.spec.Rows*g.slotsOf - 1
	e := k.Arg(g.idx).Elem(i.Clamp(0, last), 4).Fixed().When(in).LdI32().Clamp(0, g.weights[0].count-1)
	chosen := in.And(e.Eq(expert))
	votes := k.Ballot(chosen)
	k.If(k.Lane().Eq(0), func() { counts.Elem(k.Warp(), 4).StI32(votes.Popc()) })
	k.Sync()
	before, all := k.I32(0), k.I32(0)
	for w := range g.threads() / 32 {
		c := counts.At(4 * w).LdI32()
		before = before.Add(codegen.Select(k.Warp().Gt(w), c, k.I32(0)))
		all = all.Add(c)
	}
	k.If(chosen, func() {
		at := have.Add(before).Add(votes.And(k.LanesBelow()).Popc())
		list.Elem(at.Clamp(0, g.slots+g.threads()-1), 4).StI32(i)
	})
	k.Sync()
	return all
}
