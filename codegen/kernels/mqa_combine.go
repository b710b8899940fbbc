package kernels

import (
	"math"

	"dsac/codegen"
)

// mqaCombine: a block per head and query row; a thread has two columns, whose parts it loads
// before it knows their factors. Each warp works the factors out for itself, a lane per part.
func mqaCombine(s *codegen.Spec) (Kernel, error) {
	part := s.Operands[0]
	parts, heads, rank := part.Shape[1], part.Shape[2], s.Operands[1].Width()
	width := min(2, vectorWidth(part, s.Operands[1]))
	columns := rank / width
	threads := min(512, warps(columns))
	launch := codegen.Line(heads, threads)
	launch.Grid[1] = uint32(s.Rows)
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		head, t := k.BlockX(), k.BlockY()
		k.ReturnIf(t.Ge(k.Live()))
		row := func(i any) codegen.Ptr { // of part i
			return k.Arg(0).Elem(t, parts*heads*(rank+2)*f32).Elem(head, (rank+2)*f32).Elem(i, heads*(rank+2)*f32)
		}
		for first := 0; first < columns; first += threads {
			own := k.Thread().Add(first)
			c := own.Min(columns - 1)
			x := make([][]codegen.F32, parts)
			for i := range x {
				x[i] = row(i).Elem(c, width*f32).LdF32s(width)
			}
			factors, total := combineFactors(k, parts, func(i codegen.I32) codegen.Ptr { return row(i).At(rank * f32) })
			sums := make([]codegen.F32, width)
			for j := range sums {
				sums[j] = k.F32(0)
				for i := range x {
					sums[j] = x[i][j].Fma(codegen.ShflIdx(factors[i/32], i%32), sums[j])
				}
				sums[j] = sums[j].Div(total)
			}
			out := k.Arg(1).Elem(t.Mul(heads).Add(head), rank*f32).Elem(c, width*f32)
			if columns%threads != 0 {
				out = out.When(own.Lt(columns))
			}
			out.StF32s(sums...)
		}
	}}, nil
}

// combineFactors gives lane i of word j the factor of part 32j+i, and all lanes the sum of the
// weights. stats is where the largest score and the sum of a part lie.
func combineFactors(k *codegen.K, parts int, stats func(i codegen.I32) codegen.Ptr) (factors []codegen.F32, total codegen.F32) {
	var top, sum []codegen.F32
	most := k.F32(math.Inf(-1))
	for i := 0; i < parts; i += 32 {
		part := k.Lane().Add(i)
		x := stats(part.Min(parts - 1)).LdF32x2()
		ok := part.Lt(parts)
		top = append(top, codegen.Select(ok, x[0], k.F32(math.Inf(-1))))
		sum = append(sum, codegen.Select(ok, x[1], k.F32(0)))
		most = most.Max(top[len(top)-1])
	}
	most = k.WarpMax(most)
	total = k.F32(0)
	for i := range top {
		f := codegen.Select(sum[i].Eq(0), k.F32(0), top[i].Sub(most).Exp())
		factors = append(factors, f)
		total = total.Add(f.Mul(sum[i]))
	}
	return factors, k.WarpSum(total)
}
