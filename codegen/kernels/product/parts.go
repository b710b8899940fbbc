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

// Join gives the mean of what Load gave: parts in order, by a lane's factor for each. All lanes
// of a warp have the same row and head.
func (p Parts) Join(k *codegen.K, t, head codegen.I32, x []codegen.H2, ok codegen.Pred) (sum [2]codegen.F32) {
	var factors, tops []codegen.F32
	most := k.F32(math.Inf(-1))
	for i := 0; i < p.Count; i += 32 {
		part := k.Lane().Add(i)
		at := t.Mul(p.Count).Add(part.Min(p.Count - 1)).Mul(p.Heads).Add(head)
		stat := k.Arg(1).Elem(at, 2*f32).When(ok.And(part.Lt(p.Count))).LdF32x2()
		tops = append(tops, codegen.Select(stat[1].Eq(0), k.F32(math.Inf(-1)), stat[0]))
		factors = append(factors, stat[1])
		most = most.Max(tops[len(tops)-1])
	}
	most = k.WarpMax(most)
	total := k.F32(0)
	for i, sum := range factors {
		factors[i] = codegen.Select(sum.Eq(0), k.F32(0), tops[i].Sub(most).Exp().Mul(sum))
		total = total.Add(factors[i])
	}
	total = k.WarpSum(total)
	for i := range factors {
		factors[i] = factors[i].Div(total)
	}
	sum = [2]codegen.F32{k.F32(0), k.F32(0)}
	for i, h := range x {
		f := codegen.ShflIdx(factors[i/32], i%32)
		sum[0], sum[1] = h.Lo().Fma(f, sum[0]), h.Hi().Fma(f, sum[1])
	}
	return sum
}
