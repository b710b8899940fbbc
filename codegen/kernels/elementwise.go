package kernels

import "dsac/codegen"

// elementOps are the ops that compute an element from the same element of each input.
var elementOps = map[string]func(x []codegen.F32) codegen.F32{
	"add":      func(x []codegen.F32) codegen.F32 { return x[0].Add(x[1]) },
	"add_row":  func(x []codegen.F32) codegen.F32 { return x[0].Add(x[1]) },
	"mul":      func(x []codegen.F32) codegen.F32 { return x[0].Mul(x[1]) },
	"sigmoid":  func(x []codegen.F32) codegen.F32 { return x[0].Sigmoid() },
	"silu_mul": func(x []codegen.F32) codegen.F32 { return x[0].Mul(x[0].Sigmoid()).Mul(x[1]) },
}

// elementwise: one thread per vector of 16 bytes. Block (x, y) has vectors [256y, 256y+256) of
// row x; for add_row the second input is one row that all share. An output may lie on an input:
// a thread reads what it writes, first.
func elementwise(s *codegen.Spec) (Kernel, error) {
	const threads = 256
	in, out := s.Operands[:len(s.Operands)-1], s.Operands[len(s.Operands)-1]
	width := elems(out.Shape[1:]) // [T,H,d] counts as [T,H*d]
	v := vectorWidth(codegen.OperandSpec{Shape: []int{width}})
	compute := elementOps[s.Op]

	launch := codegen.Line(out.Shape[0], threads)
	launch.Grid[1] = uint32(ceilDiv(width, threads*v))
	return Kernel{Launch: launch, Emit: func(k *codegen.K) {
		row := k.BlockX()
		vec := k.BlockY().Mul(threads).Add(k.Thread())
		k.If(row.Lt(k.Live()).And(vec.Lt(width/v)), func() {
			x := make([][]codegen.F32, len(in))
			for i, o := range in {
				p := k.Arg(i)
				if len(o.Shape) > 1 {
					p = p.Elem(row, width*f32)
				}
				x[i] = p.Elem(vec, v*f32).LdF32s(v)
			}
			y := make([]codegen.F32, v)
			for j := range y {
				one := make([]codegen.F32, len(in))
				for i := range in {
					one[i] = x[i][j]
				}
				y[j] = compute(one)
			}
			k.Arg(len(in)).Elem(row, width*f32).Elem(vec, v*f32).StF32s(y...)
		})
	}}, nil
}
