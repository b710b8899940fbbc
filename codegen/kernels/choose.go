package kernels

import (
	"fmt"

	"dsac/codegen"
)

// choice is a warp's view of one short row: slot s of lane l is element 32*s + l.
type choice struct {
	n    int           // elements
	keys []codegen.I32 // per slot: sortable, 0 when there is no element or it is taken
}

// slots is the number of slots for n elements.
func slots(n int) int { return ceilDiv(n, 32) }

// longest is the longest row that a warp holds in registers.
const longest = 1024

func checkShort(n int) error {
	if n > longest {
		return fmt.Errorf("rows of %d elements, at most %d fit the registers of a warp", n, longest)
	}
	return nil
}

// sortKey maps a float to an unsigned number that orders alike and is at least 1: -0 counts as
// 0, a NaN as minus infinity.
func sortKey(x codegen.F32) codegen.I32 {
	k := codegen.KernelOf(x)
	bits := x.Add(0).Bits()
	key := bits.Xor(bits.Sar(31).Or(-1 << 31))
	return codegen.Select(x.IsNaN(), k.I32(minusInfinity), key)
}

// floatOf undoes sortKey.
func floatOf(key codegen.I32) codegen.F32 {
	return key.Xor(key.Sar(31).Xor(-1).Or(-1 << 31)).AsF32()
}

// minusInfinity is sortKey of it.
const minusInfinity = 0x007fffff

// newChoice makes the keys of values, one per slot.
func newChoice(k *codegen.K, n int, values []codegen.F32) *choice {
	c := &choice{n: n, keys: make([]codegen.I32, slots(n))}
	for s := range c.keys {
		c.keys[s] = codegen.Select(c.has(k, s), sortKey(values[s]), k.I32(0))
	}
	return c
}

// has says whether slot s of this lane is an element.
func (c *choice) has(k *codegen.K, s int) codegen.Pred {
	if 32*s+32 <= c.n {
		return k.Bool(true)
	}
	return k.Lane().Lt(c.n - 32*s)
}

// take chooses the `count` largest elements, of equal ones the lowest, and returns per slot
// whether it was chosen. Each round finds the largest key of the warp, then the lowest element
// that has it.
func (c *choice) take(k *codegen.K, count int) []codegen.Pred {
	left := make([]*codegen.Var[codegen.I32], len(c.keys))
	for s := range left {
		left[s] = codegen.Let(c.keys[s])
	}
	k.For(0, count, 1, func(codegen.I32) {
		best := left[0].Get()
		for _, v := range left[1:] {
			best = best.UMax(v.Get())
		}
		best = k.WarpMaxU32(best)
		at := k.I32(-1)
		for s := len(left) - 1; s >= 0; s-- {
			at = codegen.Select(left[s].Get().Eq(best), k.Lane().Add(32*s), at)
		}
		at = k.WarpMinU32(at)
		for s, v := range left {
			v.Set(codegen.Select(at.Eq(k.Lane().Add(32*s)), k.I32(0), v.Get()))
		}
	})
	chosen := make([]codegen.Pred, len(left))
	for s, v := range left {
		chosen[s] = v.Get().Ne(c.keys[s])
	}
	return chosen
}

// ranks returns per slot how many chosen elements come before it.
func ranks(k *codegen.K, chosen []codegen.Pred) []codegen.I32 {
	out := make([]codegen.I32, len(chosen))
	before := k.I32(0)
	for s, p := range chosen {
		votes := k.Ballot(p)
		out[s] = before.Add(votes.And(k.LanesBelow()).Popc())
		before = before.Add(votes.Popc())
	}
	return out
}

// rowWarps is the number of rows that a block works on, one warp each.
const rowWarps = 4

// perWarp launches one warp per row, thread y of a block, and calls emit with the row; whole
// warps leave early, so emit must not use block barriers.
func perWarp(s *codegen.Spec, emit func(k *codegen.K, row codegen.I32)) Kernel {
	rows := s.Operands[0].Shape[0]
	launch := codegen.Line(ceilDiv(rows, rowWarps), 32)
	launch.Block[1] = uint32(min(rows, rowWarps))
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		row := k.BlockX().Mul(rowWarps).Add(k.ThreadY())
		if rows > rowWarps && rows%rowWarps != 0 { // said apart, for the checker
			k.ReturnIf(row.Ge(rows))
		}
		k.ReturnIf(row.Ge(k.Live()))
		emit(k, row)
	}, Most: 32 * rowWarps}
}

// loadRow reads a row of n elements at p: one per slot, fill past the end.
func loadRow(k *codegen.K, p codegen.Ptr, n int) []codegen.F32 {
	xs := make([]codegen.F32, slots(n))
	for s := range xs {
		q := p.Elem(k.Lane().Add(32*s), f32)
		if 32*s+32 > n {
			q = q.When(k.Lane().Lt(n - 32*s))
		}
		xs[s] = q.LdF32()
	}
	return xs
}
