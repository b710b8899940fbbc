package product

import (
	"math"

	"dsac/codegen"
)

// Parts are the parts of attention that a kernel joins: operands part and stat, numbers 0 and 1.
// A thread has two neighbouring columns of a row and head.
type Parts struct{ Count, Heads, Rank int }

// PartsOf describes the parts of an operand [T, parts, heads, rank].
func PartsOf(o codegen.OperandSpec) Parts { return Parts{o.Shape[1], o.Shape[2], o.Shape[3]} }

// Load loads columns 2*pair and the next of all parts, zeros unless ok.
func (p Parts) Load(k *codegen.K, t, head, pair codegen.I32, ok codegen.Pred) (x []codegen.H2) {
	row := k.Arg(0).Elem(t.Mul(p.Count*p.Heads).Add(head), 2*p.Rank).Elem(pair, 4).When(ok)
	for i := range p.Count {
		x = append(x, row.At(i*p.Heads*2*p.Rank).LdH2())
	}
	return x
}

// Room reserves shared memory for the factors of each of so many warps, and returns this warp's.
func (p Parts) Room(k *codegen.K, warps int) codegen.Ptr {
	each := (p.Count + 31) / 32 * 32 * f32
	return k.Shared("factors", warps*each).Elem(k.Warp(), each)
}

// Join gives the mean of what Load gave: parts in order, each by its factor, which the lanes of
// the warp work out together. All have the same row and head.
func (p Parts) Join(k *codegen.K, room codegen.Ptr, t, head codegen.I32, x []codegen.H2, ok codegen.Pred) (mean [2]codegen.F32) {
	var sums, tops []codegen.F32
	most := k.F32(math.Inf(-1))
	for i := 0; i < p.Count; i += 32 {
		part := k.Lane().Add(i)
		at := t.Mul(p.Count).Add(part.Min(p.Count - 1)).Mul(p.Heads).Add(head)
		there := ok
		if i+32 > p.Count {
			there = ok.And(part.Lt(p.Count))
		}
		stat := k.Arg(1).Elem(at, 2*f32).When(there).LdF32x2()
		tops = append(tops, codegen.Select(stat[1].Eq(0), k.F32(math.Inf(-1)), stat[0]))
		sums = append(sums, stat[1])
		most = most.Max(tops[len(tops)-1])
	}
	most = k.WarpMax(most)
	total := k.F32(0)
	k.SyncWarp() // nobody reads factors of before
	for i, sum := range sums {
		f := codegen.Select(sum.Eq(0), k.F32(0), tops[i].Sub(most).Exp().Mul(sum))
		room.Elem(k.Lane().Add(32*i), f32).StF32(f)
		total = total.Add(f)
	}
	total = k.WarpSum(total)
	k.SyncWarp()
	mean = [2]codegen.F32{k.F32(0), k.F32(0)}
	for i := 0; i < p.Count; i += 4 {
		factors := room.At(i * f32).LdF32x4()
		for j, h := range x[i:min(i+4, p.Count)] {
			mean[0], mean[1] = h.Lo().Fma(factors[j], mean[0]), h.Hi().Fma(factors[j], mean[1])
		}
	}
	return [2]codegen.F32{mean[0].Div(total), mean[1].Div(total)}
}
