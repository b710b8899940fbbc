package kernels

import (
	"math"

	"dsac/codegen"
)

// sieve lists nodes of a level that are not below a bar, and their keys. A thread looks at a run
// of eight at a time, and has the next loaded while others look at theirs.
type sieve struct {
	w     *descending
	row   codegen.Ptr // scores, then their tops
	lists [2]codegen.Ptr
	keys  codegen.Ptr
	under *codegen.Var[codegen.I32]
	held  []*codegen.Var[codegen.F32]
	most  *codegen.Var[codegen.I32] // largest key that this thread has noted
}

// level is a part of a row: its scores or its tops.
type level struct {
	base, nodes codegen.I32
}

func newSieve(w *descending) sieve {
	size := 4 * w.few()
	return sieve{
		w: w, row: w.rows[0].row, lists: [2]codegen.Ptr{w.memory, w.memory.At(size)}, keys: w.memory.At(2 * size),
		under: codegen.Let(w.k.I32(0)), held: codegen.Lets(run, w.k.F32(0)), most: codegen.Let(w.k.I32(0)),
	}
}

// at returns where a node of a level lies, or those from it on that are loaded at once.
func (s *sieve) at(l level, node codegen.I32) codegen.Ptr {
	return s.row.Elem(l.base.Add(node).Clamp(0, s.w.width+s.w.tops-s.w.wide), f32)
}

// fetch makes the thread hold the children of its node of n, of which the block looks at those from
// first on.
func (s *sieve) fetch(l level, n, first codegen.I32, node func(i codegen.I32) codegen.I32) {
	i := first.Add(s.w.thread)
	u := codegen.Select(i.Lt(n), node(i), s.w.k.I32(math.MaxInt32/run))
	s.under.Set(u)
	for j := 0; j < run; j += s.w.wide {
		p := u.Mul(run).Add(j)
		for i, x := range s.at(l, p).When(p.Lt(l.nodes)).LdF32s(s.w.wide) {
			s.held[j+i].Set(x)
		}
	}
}

// pass lists children of n nodes, of which the first are loaded, and returns how many there are; where
// they are more than a list has room for, not all are on it. note gets the bits of those that a thread
// holds, and the place of the first of them.
func (s *sieve) pass(b bar, l level, n codegen.I32, node func(i codegen.I32) codegen.I32, note func(stay, slot codegen.I32)) codegen.I32 {
	k, w := s.w.k, s.w
	left := codegen.Let(k.I32(0))
	k.For(0, n, w.threads, func(first codegen.I32) {
		in := l.nodes.Sub(s.under.Get().Mul(run)).Clamp(0, run)
		stay := k.I32(1).Shl(in).Sub(1).And(b.passes(s.held))
		before, total := w.scan(stay.Popc())
		k.If(stay.Ne(0).And(left.Get().Add(total).Le(w.few())), func() { note(stay, left.Get().Add(before)) })
		left.Set(left.Get().Add(total))
		s.fetch(l, n, first.Add(w.threads), node)
	})
	return left.Get()
}

// noteNodes notes nodes in a list.
func (s *sieve) noteNodes(list codegen.Ptr) func(stay, slot codegen.I32) {
	return func(stay, slot codegen.I32) {
		for j := range s.held {
			bit := stay.Field(j, 1)
			list.Elem(slot, 4).When(bit.Ne(0)).StI32(s.under.Get().Mul(run).Add(j))
			slot = slot.Add(bit)
		}
	}
}

// noteScores notes scores in a list, and their keys.
func (s *sieve) noteScores(list codegen.Ptr) func(stay, slot codegen.I32) {
	return func(stay, slot codegen.I32) {
		for j, x := range s.held {
			bit, key := stay.Field(j, 1), sortKey(x.Get())
			has := bit.Ne(0)
			list.Elem(slot, 4).When(has).StI32(s.under.Get().Mul(run).Add(j))
			s.keys.Elem(slot, 4).When(has).StI32(key)
			s.most.Set(s.most.Get().UMax(codegen.Select(has, key, s.w.k.I32(0))))
			slot = slot.Add(bit)
		}
	}
}
