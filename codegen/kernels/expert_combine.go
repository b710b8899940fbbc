package kernels

import "dsac/codegen"

// expertCombine: block (x, y) has up to 256 vectors of row x; a thread loads its vector of every slot
// before it adds them up, in the order of the slots.
func expertCombine(s *codegen.Spec) (Kernel, error) {
	y, out := s.Operands[0], s.Operands[2]
	slots, width := y.Inner(), y.Width()
	v := vectorWidth(y, out)
	threads := min(256, warps(width/v))
	launch := codegen.Line(s.Rows, threads)
	launch.Grid[1] = uint32(ceilDiv(width/v, threads))
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		row := k.BlockX()
		vec := k.BlockY().Mul(threads).Add(k.Thread())
		k.If(row.Lt(k.Rows(s.Rows)).And(vec.Lt(width/v)), func() {
			var x [][]codegen.F32
			var g []codegen.F32
			for i := range slots {
				x = append(x, k.Arg(0).Elem(row.Mul(slots).Add(i), width*f32).Elem(vec, v*f32).LdF32s(v))
				g = append(g, k.Arg(1).Elem(row, slots*f32).At(i*f32).LdF32())
			}
			sum := make([]codegen.F32, v)
			for j := range sum {
				sum[j] = x[0][j].Mul(g[0])
				for i := 1; i < slots; i++ {
					sum[j] = x[i][j].Fma(g[i], sum[j])
				}
			}
			k.Arg(2).Elem(row, width*f32).Elem(vec, v*f32).StF32s(sum...)
		})
	}}, nil
}
