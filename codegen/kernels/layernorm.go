package kernels

import "dsac/codegen"

// layernorm: y = weight * (x - mean) / sqrt(var + eps) + bias; one block per row, which it
// holds in registers. y may lie on x.
func layernorm(s *codegen.Spec) (Kernel, error) {
	x, y := s.Operands[0], s.Operands[3]
	t, err := tileRow(x.Selected(), x, y)
	if err != nil {
		return Kernel{}, err
	}
	inner := x.Inner()
	return Kernel{Launch: codegen.Line(x.Shape[0]*inner, t.threads), Emit: func(k *codegen.K) {
		row := k.BlockX()
		k.ReturnIf(row.Ge(k.Live().Mul(inner)))
		xs := t.load(k, rowAt(k.Arg(0), x, row))
		ws := t.load(k, k.Arg(1).ReadOnly())
		bs := t.load(k, k.Arg(2).ReadOnly())

		sum := k.F32(0)
		for _, v := range xs { // zeros past the end of the row
			sum = sum.Add(v)
		}
		mean := blockSum(k, "sums", sum, t.threads).Mul(1 / float64(t.cols))
		squares := k.F32(0)
		for i := range xs {
			_, ok := t.at(k, i/t.width)
			xs[i] = codegen.Select(ok, xs[i].Sub(mean), k.F32(0))
			squares = xs[i].Fma(xs[i], squares)
		}
		variance := blockSum(k, "squares", squares, t.threads).Mul(1 / float64(t.cols))
		scale := k.F32(1).Div(variance.Add(s.Float("eps")).Sqrt())
		for i := range xs {
			xs[i] = xs[i].Mul(scale).Fma(ws[i], bs[i])
		}
		t.store(k, rowAt(k.Arg(3), y, row), xs)
	}}, nil
}
